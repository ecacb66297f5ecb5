import { createHmac, type KeyObject } from 'node:crypto'

/** A browser that is signed in to an account. */
export type Session = {
  id: number
  userId: number
  /** SHA-256 of its token, in hexadecimal. */
  hash: string
  /** Whether the browser keeps it when it is closed. */
  isKept: boolean
  openedAt: number
  expiresAt: number
}

const DAY = 86_400

/** One that is kept lives on while it is used; any other ends with the browser, or after a day. */
export const sessionLifetime = ({ isKept }: Pick<Session, 'isKept'>): number => (isKept ? 30 * DAY : DAY)

/** A session that is kept ends so long after its log-in, however much it is used. */
export const MAX_SESSION_LIFETIME = 180 * DAY

/** When a session expires that is used now. */
export const sessionExpiresAt = (session: Pick<Session, 'isKept' | 'openedAt'>, now: number): number =>
  Math.min(now + sessionLifetime(session), session.openedAt + MAX_SESSION_LIFETIME)

/** Whether a session that is used now is to live on: written once a week at most. */
export const isDueForRenewal = (session: Session, now: number): boolean =>
  session.isKept && sessionExpiresAt(session, now) - session.expiresAt > 7 * DAY

/** For how long after the log-in the session proves by itself that its holder knows the password. */
const FRESH_FOR = 600

export const isRecentLogin = ({ openedAt }: Session, now: number): boolean => now - openedAt <= FRESH_FOR

/** What unsafe requests of a session must bring along; other sites cannot read it, and it dies with the session. */
export function csrfToken(secret: KeyObject, { hash }: Pick<Session, 'hash'>): string {
  return createHmac('sha256', secret).update(`csrf ${hash}`).digest('base64url')
}
