/**
 * What is there later, for the one who waits for it. Less than a promise: as many are kept as clients wait for news, and
 * who waits may give it up.
 */
export class Late<Value> {
  readonly #onGivenUp: () => void
  #get: (() => Value) | null = null
  #take: ((get: () => Value) => void) | null = null

  constructor(onGivenUp: () => void) {
    this.#onGivenUp = onGivenUp
  }

  /** Hands over what returns the value, or throws why there is none. The first counts. */
  settle(get: () => Value): void {
    if (this.#get !== null) return
    this.#get = get
    this.#take?.(get)
  }

  /** Calls `take` once, now or later. To be asked once; `take` throws nothing. */
  whenThere(take: (get: () => Value) => void): void {
    this.#take = take
    if (this.#get !== null) take(this.#get)
  }

  /** Tells whoever would settle it that nobody waits any more. */
  giveUp(): void {
    this.#onGivenUp()
  }

  /** What `change` makes of it, when it is asked for. */
  map<Changed>(change: (get: () => Value) => Changed): Late<Changed> {
    const changed = new Late<Changed>(() => this.giveUp())
    this.whenThere((get) => changed.settle(() => change(get)))
    return changed
  }
}
