import { hashSecret } from '../../platform/security/secrets.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { deleteExpiredSessions, deleteSessionsBeyond, saveExpiry, saveSession } from './queries.ts'
import { type Session, sessionExpiresAt, sessionLifetime } from './session.ts'

/** How many browsers an account may be signed in with; one more ends the session that was opened first. */
export const MAX_SESSIONS = 50

/** In bytes. */
const TOKEN_LENGTH = 32

/** Signs an account in. The token belongs into `sessionCookie` and nowhere else: this is the only time that it is seen. */
export async function openSession(
  tx: Transaction,
  userId: number,
  { isKept }: { isKept: boolean },
): Promise<{ session: Session; token: string }> {
  await deleteExpiredSessions(tx)
  await deleteSessionsBeyond(tx, userId, MAX_SESSIONS - 1)
  const token = tx.random.bytes(TOKEN_LENGTH).toString('base64url')
  const expiresAt = tx.now + sessionLifetime({ isKept })
  const session = await saveSession(tx, { userId, hash: hashSecret(token), isKept, openedAt: tx.now, expiresAt })
  return { session, token }
}

/** Has the session live as long again as at first, but not beyond its longest lifetime; an ended one stays so. */
export async function renewSession(tx: Transaction, session: Session): Promise<void> {
  await saveExpiry(tx, session, sessionExpiresAt(session, tx.now))
}
