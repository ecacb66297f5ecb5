import { useEffect } from 'react'

type Inserter = (text: string) => void

const inserters = new Set<Inserter>()

/** Returns true if a compose box on the page can take text. */
export const canInsert = (): boolean => inserters.size > 0

/** Inserts text, such as a mention, at the cursor of the compose box that was opened last. */
export const requestInsertion = (text: string): void => [...inserters].at(-1)?.(text)

/** Handles requests to insert text. `insert` must stay the same between renderings. */
export function useInsertRequests(insert: Inserter): void {
  useEffect(() => {
    inserters.add(insert)
    return () => void inserters.delete(insert)
  }, [insert])
}
