type Get<Value> = () => Value

/** What is made of a value that is there later, after what was made of it before. */
type Change = {
  readonly make: (get: Get<unknown>, about: unknown) => unknown
  readonly about: unknown
  readonly before: Change | null
}

/**
 * What is there later, for the one who waits for it. Less than a promise: as many are kept as clients wait for news, and
 * who waits may give it up.
 */
export class Deferred<Value> {
  readonly #source: { giveUp(): void }
  #change: Change | null = null
  #get: Get<unknown> | null = null
  #take: ((get: Get<Value>) => void) | null = null

  /** `source` is told when nobody waits any more. */
  constructor(source: { giveUp(): void }) {
    this.#source = source
  }

  /** Hands over what returns the value, or throws why there is none. The first counts. */
  settle(get: Get<Value>): void {
    if (this.#get !== null) return
    this.#get = get
    this.#take?.(changed(get, this.#change))
  }

  /** Calls `take` once, now or later. To be asked once; `take` throws nothing. */
  onSettled(take: (get: Get<Value>) => void): void {
    this.#take = take
    if (this.#get !== null) take(changed(this.#get, this.#change))
  }

  /** Tells whoever would settle it that nobody waits any more. */
  giveUp(): void {
    this.#source.giveUp()
  }

  /**
   * What `make` makes of it when it is asked for, and of `about`, which takes less room than what a closure would keep.
   * The same object, so that waiting takes no more: use this one.
   */
  map<Made, About>(make: (get: Get<Value>, about: About) => Made, about: About): Deferred<Made> {
    this.#change = { make: make as Change['make'], about, before: this.#change }
    return this as unknown as Deferred<Made>
  }
}

function changed<Value>(get: Get<unknown>, change: Change | null): Get<Value> {
  if (change === null) return get as Get<Value>
  const before = changed(get, change.before)
  return () => change.make(before, change.about) as Value
}
