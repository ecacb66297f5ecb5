import type { Services } from '../../../http/endpoint.ts'
import {
  limitByNetwork,
  limitBySite,
  limitGlobally,
  networkOf,
  type RequestOrigin,
  resetGlobalLimit,
  resetNetworkLimit,
  resetSiteLimit,
} from '../../../http/limit-by-network.ts'
import type { RateRule } from '../../../http/rate-limit.ts'
import { logSecurityEvent } from '../../../http/security-log.ts'
import { Refusal, refusal } from '../../../platform/errors/refusal.ts'
import { hashSecret } from '../../../platform/security/secrets.ts'
import { findKnownNetwork, isDueForSaving, networkKey, saveKnownNetwork } from '../passwords/known-networks.ts'
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

/** The same from the 65,536 networks of one site. */
const GUESSES_FROM_SITE: readonly RateRule[] = [[1800, 20]]
const FROM_ONE_SITE: readonly RateRule[] = [
  [60, 300],
  [3600, 3000],
]

/** Passwords for one name from all places where its holder has not given it before: 100 a day. */
const GUESSES_FROM_ANYWHERE: readonly RateRule[] = [[86_400, 100]]

type PasswordAttempt = {
  /** Null when nobody has that name; it is checked like any other. */
  user: User | null
  /** What the caller calls the account, in which organization. */
  name: string
  realmId: number
  password: string
  /** Whether the caller is logged in as this user: then nobody else's guesses count. */
  isLoggedIn?: boolean
}

/**
 * The hash of the account's password when it is what was given, else null; refused after too many wrong ones, even when it
 * is the right one. Checking takes a while: what is then written must see that the hash still is the same. Guesses are
 * counted by name: counted by account, they would tell which hidden address belongs to whom. Places where the password was
 * given before have a limit of their own alone, so that nobody locks people out there.
 */
export async function findVerifiedHash(
  call: Pick<Services, 'db' | 'passwords' | 'log' | 'clock'> & NetworkCall,
  { user, name, realmId, password, isLoggedIn = false }: PasswordAttempt,
): Promise<string | null> {
  const { db, passwords, clock, secret, settings } = call
  const guesses = attemptsKey({ realmId, name })
  const place = networkKey(secret, user?.id ?? 0, networkOf(call.remoteAddress))
  // Asked for whether there is an account or not: the time that it takes is to say nothing.
  const knownAt = settings.RATE_LIMITING ? await findKnownNetwork(db, user?.id ?? 0, place, clock.now()) : null
  const facts = { realmId, actorId: null, targetId: user?.id ?? null }
  try {
    await limitByNetwork(call, 'passwords', FROM_ONE_PLACE)
    await limitBySite(call, 'passwords', FROM_ONE_SITE)
    await limitByNetwork(call, guesses, GUESSES)
    if (knownAt === null && !isLoggedIn) {
      await limitBySite(call, guesses, GUESSES_FROM_SITE)
      await limitGlobally(call, guesses, GUESSES_FROM_ANYWHERE)
    }
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
  await resetNetworkLimit(call, guesses)
  await resetSiteLimit(call, guesses)
  if (user !== null && isDueForSaving(knownAt, clock.now())) await rememberNetwork(call, user.id)
  return hash
}

/** Lets somebody who has just set the password guess anew, and knows the place where they did. */
export async function resetPasswordAttempts(
  call: NetworkCall,
  { userId, ...account }: Pick<PasswordAttempt, 'realmId' | 'name'> & { userId: number },
): Promise<void> {
  const guesses = attemptsKey(account)
  await resetNetworkLimit(call, guesses)
  await resetSiteLimit(call, guesses)
  await resetGlobalLimit(call, guesses)
  await rememberNetwork(call, userId)
}

type NetworkCall = RequestOrigin & Pick<Services, 'secret' | 'transaction'>

async function rememberNetwork(
  { settings, secret, transaction, remoteAddress }: NetworkCall,
  userId: number,
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const place = networkKey(secret, userId, networkOf(remoteAddress))
  await transaction((tx) => saveKnownNetwork(tx, userId, place))
}

const attemptsKey = ({ realmId, name }: Pick<PasswordAttempt, 'realmId' | 'name'>) =>
  `guesses at ${hashSecret(`${realmId} ${name.toLowerCase()}`)}`
