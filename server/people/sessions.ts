import { createHmac, type KeyObject } from 'node:crypto'
import { cookieName, setCookie } from '#http/pages.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { hashSecret } from '#lib/secrets.ts'
import { findRealm } from '#realms/queries.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findUser } from './user-queries.ts'

// The sessions of browsers, and the browsers and networks from which a user has logged in. Only hashes of tokens are
// stored. A cookie belongs to one host; the CSRF token is derived from the session. The lifetime of a session is
// limited, by the organization, too; only a kept session is extended beyond a day while it is used. A deleted one stops
// working with the next request.

/** A browser that is logged in to an account. */
export type Session = {
  id: number
  userId: number
  /** The SHA-256 hash of the session's token, in hexadecimal. */
  hash: string
  /** True if the session stays open when the browser is closed. */
  isKept: boolean
  openedAt: number
  expiresAt: number
  /** The last time at which the user proved who they are, after the login; null if they did not. */
  confirmedAt: number | null
}

/**
 * Returns the lifetime of a session in seconds. A kept session is extended while it is used. Any other session ends
 * after a day, or when the browser is closed.
 */
const sessionLifetime = ({ isKept }: Pick<Session, 'isKept'>): number =>
  isKept ? 30 * SECONDS_PER_DAY : SECONDS_PER_DAY

/** The maximum lifetime of a kept session, in seconds. */
const MAX_SESSION_LIFETIME = 180 * SECONDS_PER_DAY

/** The organization's limits of sessions. */
export type SessionLimits = Pick<RealmSettings, 'session_idle_minutes' | 'session_lifetime_minutes'>

const inSeconds = (minutes: number | null): number => (minutes === null ? Infinity : minutes * 60)

/** Returns the time at which a session that is used now expires. */
export function sessionExpiresAt(
  session: Pick<Session, 'isKept' | 'openedAt'>,
  now: number,
  limits: SessionLimits,
): number {
  const idle = Math.min(sessionLifetime(session), inSeconds(limits.session_idle_minutes))
  const longest = session.isKept ? MAX_SESSION_LIFETIME : sessionLifetime(session)
  return Math.min(now + idle, session.openedAt + Math.min(longest, inSeconds(limits.session_lifetime_minutes)))
}

/**
 * Returns whether the session should be extended now: at most once a week, or once in a tenth of the time after which
 * the organization ends unused sessions.
 */
export function isDueForRenewal(session: Session, now: number, limits: SessionLimits): boolean {
  const pause = Math.min(7 * SECONDS_PER_DAY, inSeconds(limits.session_idle_minutes) / 10)
  return sessionExpiresAt(session, now, limits) - session.expiresAt > pause
}

/** Seconds after the login, or a later confirmation, for which the session proves who the user is. */
const RECENT_LOGIN_SECONDS = 600

export const isRecentLogin = ({ openedAt, confirmedAt }: Session, now: number): boolean =>
  now - Math.max(openedAt, confirmedAt ?? 0) <= RECENT_LOGIN_SECONDS

/**
 * Returns the token that unsafe requests of a session must contain. Other sites cannot read it. It is valid as long as
 * the session.
 */
export function csrfToken(secret: KeyObject, { hash }: Pick<Session, 'hash'>): string {
  return createHmac('sha256', secret).update(`csrf ${hash}`).digest('base64url')
}

type Installation = { readonly EXTERNAL_URL: string }

const SESSION_COOKIE = 'session'

/** Returns the name of the session cookie. */
export const sessionCookieName = (settings: Installation): string => cookieName(settings, SESSION_COOKIE)

/** Returns the Set-Cookie header with a session's token. */
export function sessionCookie(settings: Installation, token: string, session: Pick<Session, 'isKept'>): string {
  return setCookie(settings, SESSION_COOKIE, token, session.isKept ? sessionLifetime(session) : undefined)
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function expiredSessionCookie(settings: Installation): string {
  return setCookie(settings, SESSION_COOKIE, '')
}

/**
 * Returns the Set-Cookie header with a session's CSRF token, for clients that read it from a cookie and send it back.
 */
export function csrfCookie(settings: Installation, csrfToken: string): string {
  return `csrftoken=${csrfToken}; Path=/; SameSite=Lax${settings.EXTERNAL_URL.startsWith('https:') ? '; Secure' : ''}`
}

const TOKEN = /^[\w-]{43}$/

/** Returns the session token in a Cookie header; null if there is none. */
export function readSessionToken(settings: Installation, header: string | undefined): string | null {
  const prefix = `${sessionCookieName(settings)}=`
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim()
    if (text.startsWith(prefix) && TOKEN.test(text.slice(prefix.length))) return text.slice(prefix.length)
  }
  return null
}

const columns = ['id', 'userId', 'hash', 'isKept', 'openedAt', 'expiresAt', 'confirmedAt'] as const

const sessionByHash = defineCache<string, Session | null>({
  // New sessions do not change cached ones.
  dependsOn: [],
  dependsOnRowsOf: ['sessions'],
  limit: 20_000,
  async load(db, hash) {
    const row = await db.selectFrom('sessions').select(columns).where('hash', '=', hash).executeTakeFirst()
    return row === undefined ? null : { ...row, isKept: row.isKept === 1 }
  },
})

/** Returns the session whose token has this SHA-256 hash, even if it has expired. */
export function findSessionByHash(db: Db, hash: string): Session | null | Promise<Session | null> {
  return sessionByHash.get(db, hash)
}

/** Returns the sessions of an account that have not expired, with the names of their browsers, newest first. */
export async function findSessionsOf(
  db: Db,
  userId: number,
  now: number,
): Promise<{ id: number; browser: string; openedAt: number; expiresAt: number }[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'browser', 'openedAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('id', 'desc')
    .execute()
}

export async function saveSession(
  tx: Transaction,
  session: Omit<Session, 'id' | 'confirmedAt'>,
  browser = '',
): Promise<Session> {
  const { id } = await tx
    .insertInto('sessions')
    .values({ ...session, browser, isKept: session.isKept ? 1 : 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...session, id, confirmedAt: null }
}

async function saveExpiry(tx: Transaction, session: Session, expiresAt: number): Promise<void> {
  await tx.updateTable('sessions').set({ expiresAt }).where('id', '=', session.id).execute()
}

/** Records that the user has just proved who they are. */
export async function confirmSession(tx: Transaction, { id }: Session): Promise<void> {
  await tx.updateTable('sessions').set({ confirmedAt: tx.now }).where('id', '=', id).execute()
}

export async function deleteSession(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('sessions').where('id', '=', id).execute()
}

/** Deletes all sessions of an account, except `except`. */
export async function deleteSessionsOf(tx: Transaction, userId: number, except: Session | null = null): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('userId', '=', userId)
    .where('id', '!=', except?.id ?? 0)
    .execute()
}

/** Deletes all sessions of an organization. */
export async function deleteSessionsOfRealm(tx: Transaction, realmId: number): Promise<void> {
  const users = tx.db.selectFrom('users').select('id').where('realmId', '=', realmId)
  await tx.deleteFrom('sessions').where('userId', 'in', users).execute()
}

/**
 * Deletes all expired sessions if one of them expired at least a day ago. Expired sessions are ignored until they are
 * deleted.
 */
async function deleteExpiredSessions(tx: Transaction): Promise<void> {
  const old = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('expiresAt', '<=', tx.now - 86_400)
    .limit(1)
    .execute()
  if (old.length > 0) await tx.deleteFrom('sessions').where('expiresAt', '<=', tx.now).execute()
}

/** Deletes the oldest sessions of an account until `limit` sessions are left. */
async function deleteSessionsBeyond(tx: Transaction, userId: number, limit: number): Promise<void> {
  const excess = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(1000)
    .offset(limit)
    .execute()
  const ids = excess.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('sessions').where('id', 'in', ids).execute()
}

// Logins. Browsers and networks are remembered, so that a login from a new one can be reported. Networks are stored as
// keyed hashes; both are forgotten half a year after the last login from them.

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
  const expiresAt = sessionExpiresAt({ isKept, openedAt: tx.now }, tx.now, await findLimits(tx.db, userId))
  const opened = { userId, hash: hashSecret(token), isKept, openedAt: tx.now, expiresAt }
  const session = await saveSession(tx, opened, browser)
  return { session, token, isNewBrowser }
}

/** Returns the limits of the organization to which the account belongs. */
async function findLimits(db: Db, userId: number): Promise<SessionLimits> {
  const user = await findUser(db, userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  if (realm === null) throw new Error(`The account ${userId} is missing`)
  return realm.settings
}

/** Extends the session so that its lifetime starts now, up to the maximum. A deleted session stays deleted. */
export async function renewSession(tx: Transaction, session: Session, limits: SessionLimits): Promise<void> {
  await saveExpiry(tx, session, sessionExpiresAt(session, tx.now, limits))
}

/** Applies new limits to the open sessions of an organization. Sessions never get longer by it. */
export async function limitOpenSessions(tx: Transaction, realmId: number, limits: SessionLimits): Promise<void> {
  const users = tx.db.selectFrom('users').select('id').where('realmId', '=', realmId)
  const [idle, lifetime] = [inSeconds(limits.session_idle_minutes), inSeconds(limits.session_lifetime_minutes)]
  if (idle < Infinity)
    await tx
      .updateTable('sessions')
      .set({ expiresAt: tx.now + idle })
      .where('userId', 'in', users)
      .where('expiresAt', '>', tx.now + idle)
      .execute()
  if (lifetime < Infinity)
    await tx
      .updateTable('sessions')
      .set((column) => ({ expiresAt: column('openedAt', '+', lifetime) }))
      .where('userId', 'in', users)
      .where((column) => column('expiresAt', '>', column('openedAt', '+', lifetime)))
      .execute()
}
