import { useRef, useSyncExternalStore } from 'react'

/** An observable value outside of components. */
export type Readable<Value> = {
  get(): Value
  /** Calls the listener after each change. Returns a function that stops this. */
  subscribe(listener: () => void): () => void
  /** Returns the value; the component is rendered again when it changes. */
  use(): Value
  /**
   * Returns a part of the value; the component is rendered again only when that part changes. `isEqual` compares parts that
   * `select` builds anew at each call.
   */
  usePart<Part>(select: (value: Value) => Part, isEqual?: (one: Part, other: Part) => boolean): Part
}

/** A readable value that can be replaced. */
export type Store<Value> = Readable<Value> & { set(value: Value): void }

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const { emit, subscribe } = createSignal()
  return {
    ...readable(() => value, subscribe),
    set(next) {
      if (Object.is(next, value)) return
      value = next
      emit()
    },
  }
}

/** Returns a value that is computed from others, at most once for each of their changes. */
export function deriveStore<Inputs extends readonly unknown[], Value>(
  inputs: { readonly [At in keyof Inputs]: Readable<Inputs[At]> },
  compute: (inputs: Inputs, before: Value | undefined) => Value,
): Readable<Value> {
  let known: { from: Inputs; value: Value } | undefined
  function get(): Value {
    const from = inputs.map((input) => input.get()) as unknown as Inputs
    const before = known
    if (before === undefined || from.some((input, at) => !Object.is(input, before.from[at])))
      known = { from, value: compute(from, before?.value) }
    return known!.value
  }
  const subscribe = (listener: () => void) => {
    const stops = inputs.map((input) => input.subscribe(listener))
    return () => {
      for (const stop of stops) stop()
    }
  }
  return readable(get, subscribe)
}

function createSignal() {
  const listeners = new Set<() => void>()
  return {
    emit() {
      for (const listener of listeners) listener()
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function readable<Value>(get: () => Value, subscribe: Readable<Value>['subscribe']): Readable<Value> {
  return {
    get,
    subscribe,
    use: () => useSyncExternalStore(subscribe, get),
    usePart: (select, isEqual) => usePart(get, subscribe, select, isEqual),
  }
}

function usePart<Value, Part>(
  get: () => Value,
  subscribe: Readable<Value>['subscribe'],
  select: (value: Value) => Part,
  isEqual: (one: Part, other: Part) => boolean = Object.is,
): Part {
  const known = useRef<{ value: Value; select: typeof select; part: Part } | null>(null)
  const read = () => {
    const [value, before] = [get(), known.current]
    if (before !== null && Object.is(before.value, value) && before.select === select) return before.part
    const selected = select(value)
    const part = before !== null && isEqual(before.part, selected) ? before.part : selected
    known.current = { value, select, part }
    return part
  }
  return useSyncExternalStore(subscribe, read)
}

/** Compares lists by their items, for `usePart`. */
export const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, at) => Object.is(item, other[at]))
