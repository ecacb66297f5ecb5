import { useSyncExternalStore } from 'react'

/** A value that stands outside of components; whoever uses it is shown anew when another takes its place. */
export type Store<Value> = {
  get(): Value
  set(value: Value): void
  use(): Value
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  const listen = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const get = () => value
  return {
    get,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(listen, get),
  }
}
