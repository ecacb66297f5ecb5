// Values that may be available later, for code that runs for each of many thousands of requests or waiting clients. A
// synchronous result stays synchronous, and a pending one takes less memory than a promise. Everything else uses
// promises.

/** Maps a value at once, or a promise when it resolves. */
export function mapMaybePromise<Value, Result>(
  value: Value | Promise<Value>,
  go: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(go) : go(value)
}

type Get<Value> = () => Value

/** One mapping of the value. The mapping in `before` is applied first. */
type Change = {
  readonly make: (get: Get<unknown>, about: unknown) => unknown
  readonly about: unknown
  readonly before: Change | null
}

/**
 * A value that becomes available later, for a single subscriber. The subscriber can cancel it, unlike a promise. There
 * is one for each waiting client, so it is made to take less memory than a promise.
 */
export class Deferred<Value> {
  readonly #source: { giveUp(): void }
  #change: Change | null = null
  #get: Get<unknown> | null = null
  #take: ((get: Get<Value>) => void) | null = null

  /** `source.giveUp` is called when the subscriber cancels. */
  constructor(source: { giveUp(): void }) {
    this.#source = source
  }

  /** Settles the value. `get` returns the value, or throws the reason why there is none. Later calls have no effect. */
  settle(get: Get<Value>): void {
    if (this.#get !== null) return
    this.#get = get
    this.#take?.(changed(get, this.#change))
  }

  /**
   * Calls `take` once: now, or when the value is settled. Only one subscriber is allowed, and `take` must not throw.
   */
  onSettled(take: (get: Get<Value>) => void): void {
    this.#take = take
    if (this.#get !== null) take(changed(this.#get, this.#change))
  }

  /** Reports to the source that the value is no longer needed. */
  giveUp(): void {
    this.#source.giveUp()
  }

  /**
   * Maps the value when it is read. `about` is passed to `make`; this takes less memory than a closure. Returns the
   * same object to save memory, so use only the returned value.
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
