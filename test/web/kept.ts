import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'

/** Waits until the browser has cached the view of the page. */
export const isViewKept = (page: Page, { id }: Person): Promise<void> =>
  becomes(
    () =>
      page.evaluate(async (name) => {
        if (!(await indexedDB.databases()).some((one) => one.name === name)) return false
        const opening = indexedDB.open(name)
        await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve }))
        const counting = opening.result.transaction('entries').objectStore('entries').count('head')
        await new Promise((resolve) => Object.assign(counting, { onsuccess: resolve }))
        opening.result.close()
        return counting.result === 1
      }, `parley-cache.${id}`),
    true,
  )
