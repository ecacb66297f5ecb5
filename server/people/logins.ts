import { createHmac, type KeyObject } from 'node:crypto'
import { hashSecret } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  deleteExpiredSessions,
  deleteSessionsBeyond,
  findSessionsOf,
  type Session,
  saveExpiry,
  saveSession,
  sessionExpiresAt,
  sessionLifetime,
} from './sessions.ts'

// Logging in: opening a session and remembering the browsers and networks of a user, so that a login from a new one
// can be reported. Networks and browsers are stored as keyed hashes and forgotten half a year after the last login
// from them.

/**
 * The signs of browsers in the User-Agent header. More specific ones come first, because most browsers also name other
 * browsers there.
 */
const BROWSERS: readonly [sign: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]

const SYSTEMS: readonly [sign: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (signs: readonly [RegExp, string][], userAgent: string): string =>
  signs.find(([sign]) => sign.test(userAgent))?.[1] ?? ''

/**
 * Returns the names of the browser and the operating system, such as "Firefox, Linux". It is empty if neither is known.
 */
export function browserName(userAgent: string): string {
  return [nameIn(BROWSERS, userAgent), nameIn(SYSTEMS, userAgent)].filter((name) => name !== '').join(', ')
}

/** Seconds after the last login until a network or a browser is forgotten. */
const KNOWN_ORIGIN_LIFETIME = 180 * 86_400

/** The age, in seconds, at which the stored time of the last login is updated. */
const RENEWAL_AGE = 30 * 86_400

/**
 * The maximum number of networks and browsers, together, that are remembered for an account. A further one replaces the
 * least recently used one.
 */
const MAX_ORIGINS = 50

/**
 * Returns the stored form of a network. It is a keyed hash, so that neither the database nor a copy of it reveals where
 * users are.
 */
export function networkKey(secret: KeyObject, userId: number, network: string): string {
  return createHmac('sha256', secret).update(`known place ${userId} ${network}`).digest('base64url')
}

/** Returns the stored form of a browser, given the name that `browserName` returns. */
const browserKey = (browser: string): string => `browser ${browser}`

/**
 * Returns the time of the user's last login from this network or browser; null if there was none or it has been
 * forgotten.
 */
export async function findLastLoginFrom(db: Db, userId: number, key: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('knownPlaces')
    .select('lastAt')
    .where('userId', '=', userId)
    .where('place', '=', key)
    .where('lastAt', '>', now - KNOWN_ORIGIN_LIFETIME)
    .executeTakeFirst()
  return row?.lastAt ?? null
}

/** Returns whether at least one browser of the user is remembered. */
async function hasKnownBrowser(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('knownPlaces')
    .select('place')
    .where('userId', '=', userId)
    .where('place', 'like', `${browserKey('')}%`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const isDueForSaving = (lastAt: number | null, now: number): boolean =>
  lastAt === null || lastAt < now - RENEWAL_AGE

/** Records a login of the user from this network or browser at the current time. */
export async function saveLoginFrom(tx: Transaction, userId: number, key: string): Promise<void> {
  const row = { userId, place: key, lastAt: tx.now }
  await tx
    .insertInto('knownPlaces')
    .values(row)
    .onConflict((on) => on.columns(['userId', 'place']).doUpdateSet({ lastAt: tx.now }))
    .execute()
  const excess = await tx.db
    .selectFrom('knownPlaces')
    .select('place')
    .where('userId', '=', userId)
    .orderBy('lastAt', 'desc')
    .orderBy('place')
    .limit(MAX_ORIGINS)
    .offset(MAX_ORIGINS)
    .execute()
  const origins = excess.map((one) => one.place)
  if (origins.length === 0) return
  await tx.deleteFrom('knownPlaces').where('userId', '=', userId).where('place', 'in', origins).execute()
}

/**
 * Forgets all networks of the user. Browsers stay known, so that users get emails only about logins in new browsers.
 */
export async function deleteKnownNetworks(tx: Transaction, userId: number): Promise<void> {
  await tx
    .deleteFrom('knownPlaces')
    .where('userId', '=', userId)
    .where('place', 'not like', `${browserKey('')}%`)
    .execute()
}

/**
 * Records a login in a browser with this name for half a year. Returns true if the account is known to have been used
 * before, but not in this browser.
 */
async function rememberBrowser(tx: Transaction, userId: number, browser: string): Promise<boolean> {
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

/** The maximum number of sessions of an account. When another one is opened, the oldest is deleted. */
export const MAX_SESSIONS = 50

/** The length of a session token in bytes. */
const TOKEN_LENGTH = 32

type OpenedSession = {
  session: Session
  token: string
  /** True if the account was used in the last half year, but not in this browser. */
  isNewBrowser: boolean
}

/** Logs an account in. Pass the token only to `sessionCookie`. Only its hash is stored. */
export async function openSession(
  tx: Transaction,
  userId: number,
  { isKept, userAgent = '' }: { isKept: boolean; userAgent?: string },
): Promise<OpenedSession> {
  const browser = browserName(userAgent)
  const isNewBrowser = await rememberBrowser(tx, userId, browser)
  await deleteExpiredSessions(tx)
  await deleteSessionsBeyond(tx, userId, MAX_SESSIONS - 1)
  const token = tx.random.bytes(TOKEN_LENGTH).toString('base64url')
  const expiresAt = tx.now + sessionLifetime({ isKept })
  const opened = { userId, hash: hashSecret(token), isKept, openedAt: tx.now, expiresAt }
  const session = await saveSession(tx, opened, browser)
  return { session, token, isNewBrowser }
}

/** Extends the session so that its lifetime starts now, up to the maximum. A deleted session stays deleted. */
export async function renewSession(tx: Transaction, session: Session): Promise<void> {
  await saveExpiry(tx, session, sessionExpiresAt(session, tx.now))
}
