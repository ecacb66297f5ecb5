import { refusal } from '../../base/refusal.ts'
import { hashSecret } from '../../base/secrets.ts'
import type { AnonymousCall } from '../../http/endpoint.ts'
import type { RateRule } from '../../http/rate-limit.ts'
import { rateLimitHit } from '../../http/refusals.ts'
import { findPasswordHash } from '../password-queries.ts'
import type { User } from '../user.ts'

export const wrongPassword = refusal('BAD_REQUEST', 400, 'Wrong password!')

/** Wrong passwords for one name from one address: 5 in half an hour. */
const GUESSES: readonly RateRule[] = [[1800, 5]]

type Guess = {
  /** Null when nobody has that name; it is checked like any other. */
  user: User | null
  /** What the caller calls the account, in which organization. */
  name: string
  realmId: number
  password: string
}

/**
 * Whether it is the password of the account; refused after too many wrong ones, even when it is the right one. Guesses
 * are counted by name: counted by account, they would tell which hidden address belongs to whom.
 */
export async function isPassword(
  call: Pick<AnonymousCall, 'db' | 'passwords' | 'rateLimiter' | 'settings' | 'clock' | 'remoteAddress'>,
  { user, name, realmId, password }: Guess,
): Promise<boolean> {
  const { db, passwords, rateLimiter, settings, clock, remoteAddress } = call
  const key = guessKey({ realmId, name }, remoteAddress)
  if (settings.RATE_LIMITING) {
    const verdict = rateLimiter.take(key, GUESSES, clock.now())
    if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
  }
  const hash = user === null ? null : await findPasswordHash(db, user.id)
  const isRight = await passwords.verify(hash, password)
  if (isRight) rateLimiter.forget(key)
  return isRight
}

/** Lets somebody who has just set the password guess anew. */
export function forgetGuesses(
  { rateLimiter, remoteAddress }: Pick<AnonymousCall, 'rateLimiter' | 'remoteAddress'>,
  account: Pick<Guess, 'realmId' | 'name'>,
): void {
  rateLimiter.forget(guessKey(account, remoteAddress))
}

function guessKey({ realmId, name }: Pick<Guess, 'realmId' | 'name'>, remoteAddress: string): string {
  return `password ${hashSecret(`${realmId} ${name.toLowerCase()}`)} ${remoteAddress}`
}
