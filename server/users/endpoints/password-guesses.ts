import { Refusal, refusal } from '../../base/refusal.ts'
import { hashSecret } from '../../base/secrets.ts'
import type { Services } from '../../http/endpoint.ts'
import { type FromPlace, forgetPlace, limitPlace } from '../../http/limit-place.ts'
import type { RateRule } from '../../http/rate-limit.ts'
import { logSecurityEvent } from '../../http/security-log.ts'
import { findPasswordHash } from '../passwords/password-queries.ts'
import type { User } from '../user.ts'

export const wrongPassword = refusal('BAD_REQUEST', 400, 'Wrong password!')

/** Wrong passwords for one name from one place: 5 in half an hour. */
const GUESSES: readonly RateRule[] = [[1800, 5]]

/** Passwords for any names, right ones too: enough for an office that signs in at once, and not for a list of names. */
const FROM_ONE_PLACE: readonly RateRule[] = [
  [60, 100],
  [3600, 1000],
]

type Guess = {
  /** Null when nobody has that name; it is checked like any other. */
  user: User | null
  /** What the caller calls the account, in which organization. */
  name: string
  realmId: number
  password: string
}

/**
 * The hash of the account's password when it is what was given, else null; refused after too many wrong ones, even when it
 * is the right one. Checking takes a while: what is then written must see that the hash still is the same. Guesses are
 * counted by name: counted by account, they would tell which hidden address belongs to whom.
 */
export async function findProvenHash(
  call: Pick<Services, 'db' | 'passwords' | 'log'> & FromPlace,
  { user, name, realmId, password }: Guess,
): Promise<string | null> {
  const { db, passwords } = call
  const guesses = guessesAt({ realmId, name })
  const facts = { realmId, actorId: null, targetId: user?.id ?? null }
  try {
    await limitPlace(call, 'passwords', FROM_ONE_PLACE)
    await limitPlace(call, guesses, GUESSES)
  } catch (error) {
    if (error instanceof Refusal) logSecurityEvent(call, 'password_locked', facts)
    throw error
  }
  const hash = user === null ? null : await findPasswordHash(db, user.id)
  const isRight = await passwords.verify(hash, password)
  if (!isRight) {
    logSecurityEvent(call, 'password_wrong', facts)
    return null
  }
  await forgetPlace(call, guesses)
  return hash
}

/** Lets somebody who has just set the password guess anew. */
export async function forgetGuesses(call: FromPlace, account: Pick<Guess, 'realmId' | 'name'>): Promise<void> {
  await forgetPlace(call, guessesAt(account))
}

const guessesAt = ({ realmId, name }: Pick<Guess, 'realmId' | 'name'>) =>
  `guesses at ${hashSecret(`${realmId} ${name.toLowerCase()}`)}`
