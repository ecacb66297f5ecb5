import { hashSecret } from '../base/secrets.ts'
import type { Transaction } from '../storage/storage.ts'
import { endExpiredSessions, saveExpiry, saveSession } from './queries.ts'
import { lifetimeOf, type Session } from './session.ts'

/** In bytes. */
const TOKEN_LENGTH = 32

/** Signs an account in. The token belongs into `sessionCookie` and nowhere else: this is the only time that it is seen. */
export async function openSession(
  tx: Transaction,
  userId: number,
  { isKept }: { isKept: boolean },
): Promise<{ session: Session; token: string }> {
  await endExpiredSessions(tx)
  const token = tx.random.bytes(TOKEN_LENGTH).toString('base64url')
  const expiresAt = tx.now + lifetimeOf({ isKept })
  const session = await saveSession(tx, { userId, hash: hashSecret(token), isKept, expiresAt })
  return { session, token }
}

/** Has the session live as long again as at first; an ended one stays so. */
export async function renewSession(tx: Transaction, session: Session): Promise<void> {
  await saveExpiry(tx, session, tx.now + lifetimeOf(session))
}
