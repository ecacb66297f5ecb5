import type { Transaction } from '#storage/storage.ts'
import {
  browserKey,
  findLastLoginFrom,
  hasKnownBrowser,
  isDueForSaving,
  saveLoginFrom,
} from '../users/passwords/known-origins.ts'
import { findSessionsOf } from './queries.ts'

/**
 * Records a login in a browser with this name for half a year. Returns true if the account is known to have been used
 * before, but not in this browser.
 */
export async function rememberBrowser(tx: Transaction, userId: number, browser: string): Promise<boolean> {
  const key = browserKey(browser)
  const lastAt = await findLastLoginFrom(tx.db, userId, key, tx.now)
  const isNew = lastAt === null && (await isUsedInOtherBrowsersOnly(tx, userId, browser))
  if (isDueForSaving(lastAt, tx.now)) await saveLoginFrom(tx, userId, key)
  return isNew
}

/**
 * Returns whether the account is known to have been used before, but not in this browser. A browser with an open
 * session counts as used, because the session may be older than this feature.
 */
async function isUsedInOtherBrowsersOnly({ db, now }: Transaction, userId: number, browser: string): Promise<boolean> {
  if (!(await hasKnownBrowser(db, userId))) return false
  return (await findSessionsOf(db, userId, now)).every((session) => session.browser !== browser)
}
