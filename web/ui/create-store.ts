import { useRef, useSyncExternalStore } from 'react'

/** An observable value outside of components. */
export type Readable<Value> = {
  get(): Value
  /** Calls the listener after each change. Returns a function that stops this. */
  subscribe(listener: () => void): () => void
  /** Returns the value. The component is rendered again when the value changes. */
  use(): Value
  /**
   * Returns a part of the value. The component is rendered again only when that part changes. `isEqual` compares parts
   * if `select` builds a new object at each call.
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

/**
 * Returns a store whose value is computed from other stores, at most once for each change of one of them. Its listeners
 * are called only if the value changes.
 */
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
  // The inputs are observed once, and only while the derived store has listeners.
  let emitted: Value
  const { emit, subscribe } = createSignal(() => {
    emitted = get()
    const stops = inputs.map((input) =>
      input.subscribe(() => {
        const value = get()
        if (Object.is(value, emitted)) return
        emitted = value
        emit()
      }),
    )
    return () => {
      for (const stop of stops) stop()
    }
  })
  return readable(get, subscribe)
}

/** The signals that have been emitted since `together` began; null while it does not run. */
let heldBack: Set<() => void> | null = null

/** Runs a function that changes stores. Their listeners are called once, after the last change. */
export function together<Result>(change: () => Result): Result {
  if (heldBack !== null) return change()
  heldBack = new Set()
  try {
    return change()
  } finally {
    const signals = heldBack
    heldBack = null
    for (const emit of signals) emit()
  }
}

/**
 * Returns a function that adds listeners, and a function that calls them. `start` is called before the first listener
 * is added. The function that it returns is called after the last listener was removed.
 */
function createSignal(start: () => () => void = () => () => {}) {
  const listeners = new Set<() => void>()
  let stop = () => {}
  const callAll = () => {
    for (const listener of listeners) listener()
  }
  return {
    emit() {
      if (heldBack === null) callAll()
      else heldBack.add(callAll)
    },
    subscribe(listener: () => void) {
      if (listeners.size === 0) stop = start()
      // A separate function for each call, so that the same listener can be added twice.
      const call = () => listener()
      listeners.add(call)
      return () => {
        if (listeners.delete(call) && listeners.size === 0) stop()
      }
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

/** Returns true if both lists have the same items. Can be passed to `usePart`. */
export const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, at) => Object.is(item, other[at]))
