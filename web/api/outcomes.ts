/** The outcome of a call. `isAnswered` is false if the server could not be reached. */
export type Outcome = { route: string; isAnswered: boolean }

type Listener = (outcome: Outcome) => void

const listeners = new Set<Listener>()

/** Calls the listener after each call of the API. Returns a function that stops this. */
export function onOutcome(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitOutcome(outcome: Outcome): void {
  for (const listener of listeners) listener(outcome)
}
