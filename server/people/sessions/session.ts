import { createHmac, type KeyObject } from 'node:crypto'

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

const DAY = 86_400

/**
 * Returns the lifetime of a session in seconds. A kept session is extended while it is used. Any other session ends
 * after a day, or when the browser is closed.
 */
export const sessionLifetime = ({ isKept }: Pick<Session, 'isKept'>): number => (isKept ? 30 * DAY : DAY)

/** The maximum lifetime of a kept session, in seconds. */
const MAX_SESSION_LIFETIME = 180 * DAY

/** Returns the time at which a session that is used now expires. */
export const sessionExpiresAt = (session: Pick<Session, 'isKept' | 'openedAt'>, now: number): number =>
  Math.min(now + sessionLifetime(session), session.openedAt + MAX_SESSION_LIFETIME)

/** Returns whether the session should be extended now. A session is extended at most once a week. */
export const isDueForRenewal = (session: Session, now: number): boolean =>
  session.isKept && sessionExpiresAt(session, now) - session.expiresAt > 7 * DAY

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
