type Get<Value> = () => Value

/**
 * What is there later, for the one who waits for it. Less than a promise: as many are kept as clients wait for news, and
 * who waits may give it up.
 */
export class Late<Value> {
  readonly #onGivenUp: () => void
  /** What is made of it on the way, first things first. */
  readonly #changes: ((get: Get<unknown>) => unknown)[] = []
  #get: Get<unknown> | null = null
  #take: ((get: Get<Value>) => void) | null = null

  constructor(onGivenUp: () => void) {
    this.#onGivenUp = onGivenUp
  }

  /** Hands over what returns the value, or throws why there is none. The first counts. */
  settle(get: Get<Value>): void {
    if (this.#get !== null) return
    this.#get = get
    this.#take?.(this.#changed(get))
  }

  /** Calls `take` once, now or later. To be asked once; `take` throws nothing. */
  whenThere(take: (get: Get<Value>) => void): void {
    this.#take = take
    if (this.#get !== null) take(this.#changed(this.#get))
  }

  /** Tells whoever would settle it that nobody waits any more. */
  giveUp(): void {
    this.#onGivenUp()
  }

  /** What `change` makes of it when it is asked for. The same object, so that waiting takes no more room: use this one. */
  map<Changed>(change: (get: Get<Value>) => Changed): Late<Changed> {
    this.#changes.push(change as (get: Get<unknown>) => unknown)
    return this as unknown as Late<Changed>
  }

  #changed(get: Get<unknown>): Get<Value> {
    let changed = get
    for (const change of this.#changes) {
      const inner = changed
      changed = () => change(inner)
    }
    return changed as Get<Value>
  }
}
