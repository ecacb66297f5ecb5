import { setImmediate as nextTurn } from 'node:timers/promises'

let previous: Promise<void> = Promise.resolve()

/**
 * Resolves in a later turn of the event loop, in which no other caller continues. Long work calls this between its
 * parts, so that other requests wait for one part at most, however much long work is in progress.
 */
export function turnOfItsOwn(): Promise<void> {
  previous = previous.then(() => nextTurn())
  return previous
}
