import { createHmac, type KeyObject } from 'node:crypto'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The sessions of browsers. Only hashes of tokens are stored. A cookie belongs to one host; the CSRF token is derived
// from the session. The lifetime of a session is limited; only a kept session is extended while it is used. A deleted
// one stops working with the next request.

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
}

/**
 * Returns the lifetime of a session in seconds. A kept session is extended while it is used. Any other session ends
 * after a day, or when the browser is closed.
 */
export const sessionLifetime = ({ isKept }: Pick<Session, 'isKept'>): number =>
  isKept ? 30 * SECONDS_PER_DAY : SECONDS_PER_DAY

/** The maximum lifetime of a kept session, in seconds. */
const MAX_SESSION_LIFETIME = 180 * SECONDS_PER_DAY

/** Returns the time at which a session that is used now expires. */
export const sessionExpiresAt = (session: Pick<Session, 'isKept' | 'openedAt'>, now: number): number =>
  Math.min(now + sessionLifetime(session), session.openedAt + MAX_SESSION_LIFETIME)

/** Returns whether the session should be extended now. A session is extended at most once a week. */
export const isDueForRenewal = (session: Session, now: number): boolean =>
  session.isKept && sessionExpiresAt(session, now) - session.expiresAt > 7 * SECONDS_PER_DAY

/** Seconds after the login for which the session proves that the user knows the password. */
const RECENT_LOGIN_SECONDS = 600

export const isRecentLogin = ({ openedAt }: Session, now: number): boolean => now - openedAt <= RECENT_LOGIN_SECONDS

/**
 * Returns the token that unsafe requests of a session must contain. Other sites cannot read it. It is valid as long as
 * the session.
 */
export function csrfToken(secret: KeyObject, { hash }: Pick<Session, 'hash'>): string {
  return createHmac('sha256', secret).update(`csrf ${hash}`).digest('base64url')
}

type Installation = { readonly EXTERNAL_URL: string }

const isSecure = ({ EXTERNAL_URL }: Installation) => EXTERNAL_URL.startsWith('https:')

/**
 * Returns the name of the session cookie. Over HTTPS, the `__Host-` prefix makes browsers accept the cookie only from
 * this host. Over plain HTTP, browsers would reject the prefix.
 */
export function sessionCookieName(settings: Installation): string {
  return isSecure(settings) ? '__Host-parley_session' : 'parley_session'
}

/** Returns the Set-Cookie header with a session's token. */
export function sessionCookie(settings: Installation, token: string, session: Pick<Session, 'isKept'>): string {
  return cookie(settings, token, session.isKept ? `; Max-Age=${sessionLifetime(session)}` : '')
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function expiredSessionCookie(settings: Installation): string {
  return cookie(settings, '', '; Max-Age=0')
}

/**
 * Returns the Set-Cookie header with a session's CSRF token, for clients that read it from a cookie and send it back.
 */
export function csrfCookie(settings: Installation, csrfToken: string): string {
  return `csrftoken=${csrfToken}; Path=/; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}`
}

const cookie = (settings: Installation, value: string, age: string) =>
  `${sessionCookieName(settings)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}${age}`

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

const columns = ['id', 'userId', 'hash', 'isKept', 'openedAt', 'expiresAt'] as const

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

export async function saveSession(tx: Transaction, session: Omit<Session, 'id'>, browser = ''): Promise<Session> {
  const { id } = await tx
    .insertInto('sessions')
    .values({ ...session, browser, isKept: session.isKept ? 1 : 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...session, id }
}

export async function saveExpiry(tx: Transaction, session: Session, expiresAt: number): Promise<void> {
  await tx.updateTable('sessions').set({ expiresAt }).where('id', '=', session.id).execute()
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

/**
 * Deletes all expired sessions if one of them expired at least a day ago. Expired sessions are ignored until they are
 * deleted.
 */
export async function deleteExpiredSessions(tx: Transaction): Promise<void> {
  const old = await tx.db
    .selectFrom('sessions')
    .select('id')
    .where('expiresAt', '<=', tx.now - 86_400)
    .limit(1)
    .execute()
  if (old.length > 0) await tx.deleteFrom('sessions').where('expiresAt', '<=', tx.now).execute()
}

/** Deletes the oldest sessions of an account until `limit` sessions are left. */
export async function deleteSessionsBeyond(tx: Transaction, userId: number, limit: number): Promise<void> {
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
