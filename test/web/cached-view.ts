import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'
import { readStore } from './browser-database.ts'

/** Waits until the browser has cached the view of the page, with the messages of a conversation. */
export const waitForCachedView = (page: Page, { id }: Person): Promise<void> =>
  becomes(async () => {
    const given = { database: `parley-cache.${id}`, store: 'entries', reads: 'getAllKeys' } as const
    const keys = (await readStore(page, given)).map(String)
    return keys.includes('head') && keys.some((key) => key.startsWith('query.["messages"'))
  }, true)
