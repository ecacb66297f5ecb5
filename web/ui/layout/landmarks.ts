import { createStore } from '../create-store.ts'

/** A part of the page to which a skip link leads. */
export type Landmark = 'conversations' | 'people' | 'writing'

/**
 * The landmarks on the page. Selectors with `:has()` on the whole page would find them, too, but then each change of the
 * page restyles parts that have nothing to do with it.
 */
export const landmarks = createStore<ReadonlySet<Landmark>>(new Set())

/** Adds a landmark; returns a function that removes it. */
function addLandmark(name: Landmark): () => void {
  landmarks.set(new Set([...landmarks.get(), name]))
  return () => landmarks.set(new Set([...landmarks.get()].filter((other) => other !== name)))
}

/** Refs of the elements that are landmarks. */
export const conversationsLandmark = () => addLandmark('conversations')
export const peopleLandmark = () => addLandmark('people')
export const writingLandmark = () => addLandmark('writing')
