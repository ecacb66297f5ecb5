import { hashSecret } from '#lib/security/secrets.ts'
import type { Transaction } from '#storage/storage.ts'
import { browserName } from './browser-name.ts'
import { deleteExpiredSessions, deleteSessionsBeyond, saveExpiry, saveSession } from './queries.ts'
import { rememberBrowser } from './remember-browser.ts'
import { type Session, sessionExpiresAt, sessionLifetime } from './session.ts'

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
