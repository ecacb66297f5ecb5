import type { Call } from '../../../http/endpoint.ts'
import { refusal } from '../../../platform/errors/refusal.ts'
import type { Transaction } from '../../../platform/storage/storage.ts'
import { isFresh } from '../../sessions/session.ts'
import { lockPassword } from '../passwords/password-queries.ts'
import { findProvenHash, wrongPassword } from './password-guesses.ts'

export const passwordNeeded = refusal(
  'BAD_REQUEST',
  400,
  'Your current password is needed. Send it as {parameter}, or log in again.',
)

/** The hash of the actor's password, which was right; null where a session that has just logged in stands in for it. */
export type ProvenPassword = { hash: string | null }

/** Whether the session of the call logged in so lately that the password is not asked for again. */
const hasJustLoggedIn = ({ session, clock }: Call) => session !== null && isFresh(session, clock.now())

/**
 * Refuses unless the caller has given the current password, or has logged in with this session in the last 10 minutes. A
 * password that is given must be right in any case. `requireSamePassword` then checks it in the transaction.
 */
export async function provePassword(
  call: Call,
  { password, parameter }: { password: string; parameter: string },
): Promise<ProvenPassword> {
  if (password === '') {
    if (hasJustLoggedIn(call)) return { hash: null }
    throw passwordNeeded({ parameter })
  }
  const { actor } = call
  const guess = { user: actor, name: actor.deliveryEmail, realmId: actor.realmId, password, isLoggedIn: true }
  const hash = await findProvenHash(call, guess)
  if (hash === null) throw wrongPassword()
  return { hash }
}

/** Refuses when the password was changed while it was checked. */
export async function requireSamePassword(tx: Transaction, userId: number, { hash }: ProvenPassword): Promise<void> {
  if (hash !== null && !(await lockPassword(tx, userId, hash))) throw wrongPassword()
}
