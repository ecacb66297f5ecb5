import type { Page } from 'playwright-core'

/** Returns all keys or values of a store of a database in the browser; an empty list if it does not exist yet. */
export const readStore = (
  page: Page,
  given: { database: string; store: string; reads: 'getAll' | 'getAllKeys' },
): Promise<unknown[]> =>
  page.evaluate(async ({ database, store, reads }) => {
    if (!(await indexedDB.databases()).some(({ name }) => name === database)) return []
    const opening = indexedDB.open(database)
    // The page has just deleted the database. Only the page may create it again, with its stores.
    opening.onupgradeneeded = () => opening.transaction?.abort()
    await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve, onerror: resolve }))
    if (opening.error !== null) return []
    const reading = opening.result.transaction(store).objectStore(store)[reads]()
    await new Promise((resolve) => Object.assign(reading, { onsuccess: resolve }))
    opening.result.close()
    return reading.result
  }, given)
