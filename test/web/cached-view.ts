import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'

/** Waits until the browser has cached the view of the page, with the messages of a conversation. */
export const waitForCachedView = (page: Page, { id }: Person): Promise<void> =>
  becomes(
    () =>
      page.evaluate(async (name) => {
        if (!(await indexedDB.databases()).some((one) => one.name === name)) return false
        const opening = indexedDB.open(name)
        await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve }))
        const reading = opening.result.transaction('entries').objectStore('entries').getAllKeys()
        await new Promise((resolve) => Object.assign(reading, { onsuccess: resolve }))
        opening.result.close()
        const keys = reading.result.map(String)
        return keys.includes('head') && keys.some((key) => key.startsWith('query.["messages"'))
      }, `parley-cache.${id}`),
    true,
  )
