import { z } from 'zod'
import type { Call } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { isRecentLogin } from '#people/sessions/session.ts'
import { lockPassword } from '#people/users/passwords/password-queries.ts'
import { tooManyPasswords } from '#people/users/passwords/passwords.ts'
import type { Transaction } from '#storage/storage.ts'
import { findVerifiedHash, wrongPassword } from './password-attempts.ts'

export const currentPasswordNeeded = refusal(
  'BAD_REQUEST',
  400,
  'Your current password is required. Send it as {parameter}, or log in again.',
  { field: '{parameter}' },
)

/**
 * A verified password. `hash` is its hash, or null if the session logged in recently enough. `parameter` is the
 * parameter that contained the password.
 */
type VerifiedPassword = { hash: string | null; parameter: string }

/** Returns whether the session logged in so recently that the password is not required. */
const hasJustLoggedIn = ({ session, clock }: Call) => session !== null && isRecentLogin(session, clock.now())

/**
 * Refuses unless the caller sends the current password, or logged in with this session in the last 10 minutes. A wrong
 * password is always refused. Call `requireUnchangedPassword` in the transaction that follows.
 */
export async function requireCurrentPassword(
  call: Call,
  { password, parameter }: { password: string; parameter: string },
): Promise<VerifiedPassword> {
  if (password === '') {
    if (hasJustLoggedIn(call)) return { hash: null, parameter }
    throw currentPasswordNeeded({ parameter })
  }
  const { actor } = call
  const attempt = { user: actor, name: actor.deliveryEmail, realmId: actor.realmId, password, isLoggedIn: true }
  const hash = await findVerifiedHash(call, attempt)
  if (hash === null) throw wrongPassword({ parameter })
  return { hash, parameter }
}

/** The parameter of endpoints that ask sessions for the password. */
export const sessionPassword = z
  .string()
  .default('')
  .describe(
    'Your current password. Needed for requests with a session, unless you logged in within the last 10 minutes. Not needed with an API key.',
  )

export const sessionPasswordRefusals = [wrongPassword, currentPasswordNeeded, tooManyPasswords]

/**
 * Refuses a request of a session like `requireCurrentPassword`. An API key needs no password, because its
 * holder keeps access anyway.
 */
export async function requirePasswordOfSession(call: Call, password: string): Promise<VerifiedPassword> {
  if (call.session === null) return { hash: null, parameter: 'password' }
  return requireCurrentPassword(call, { password, parameter: 'password' })
}

/** Refuses if the password was changed after it was verified. */
export async function requireUnchangedPassword(
  tx: Transaction,
  userId: number,
  { hash, parameter }: VerifiedPassword,
): Promise<void> {
  if (hash !== null && !(await lockPassword(tx, userId, hash))) throw wrongPassword({ parameter })
}
