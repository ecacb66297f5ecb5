import type { Services } from '#http/endpoint.ts'
import {
  limitByNetwork,
  limitBySite,
  limitGlobally,
  type RequestOrigin,
  resetGlobalLimit,
  resetNetworkLimit,
  resetSiteLimit,
} from '#http/limits/limit-by-network.ts'
import { networkOf } from '#http/limits/network.ts'
import type { RateRule } from '#http/limits/rate-limit.ts'
import { logSecurityEvent } from '#http/security-log.ts'
import { Refusal, refusal } from '#lib/errors/refusal.ts'
import { hashSecret } from '#lib/security/secrets.ts'
import { findLastLoginFrom, isDueForSaving, networkKey, saveLoginFrom } from '#people/users/passwords/known-origins.ts'
import { findPasswordHash } from '#people/users/passwords/password-queries.ts'
import type { User } from '#people/users/user.ts'

export const wrongPassword = refusal('BAD_REQUEST', 400, 'Wrong password!', { field: '{parameter}' })

/** The limit of wrong passwords for one account name from one network: 5 in half an hour. */
const ATTEMPTS_PER_NETWORK: readonly RateRule[] = [[1800, 5]]

/**
 * The limit of password attempts from one network, correct ones included, for all accounts together. An office where
 * everyone logs in at once stays below it. It is too low for trying a list of names.
 */
const PASSWORDS_PER_NETWORK: readonly RateRule[] = [
  [60, 100],
  [3600, 1000],
]

/** The two limits above, for an IPv6 site, which contains 65,536 networks. */
const ATTEMPTS_PER_SITE: readonly RateRule[] = [[1800, 20]]
const PASSWORDS_PER_SITE: readonly RateRule[] = [
  [60, 300],
  [3600, 3000],
]

/** The limit of passwords for one account name from all networks where its user has not logged in before: 100 a day. */
const ATTEMPTS_IN_TOTAL: readonly RateRule[] = [[86_400, 100]]

type PasswordAttempt = {
  /** The account; null if no account has this name. The password is hashed in either case. */
  user: User | null
  /** The account name as the caller wrote it. */
  name: string
  realmId: number
  password: string
  /** True if the caller is logged in as this user. Only attempts from the caller's network then count. */
  isLoggedIn?: boolean
}

/**
 * Returns the hash of the account's password if the given password is correct, and null otherwise. After too many wrong
 * passwords, even the correct one is refused. Verification takes a while, so a later transaction must check that the
 * hash is unchanged. Attempts are counted by account name. If they were counted by account, the limit would reveal
 * whose account a hidden address belongs to. For a network where the user has logged in before, only attempts from this
 * network count. An attacker elsewhere therefore cannot lock the user out there.
 */
export async function findVerifiedHash(
  call: Pick<Services, 'db' | 'passwords' | 'log' | 'securityLines' | 'clock'> & NetworkCall,
  { user, name, realmId, password, isLoggedIn = false }: PasswordAttempt,
): Promise<string | null> {
  const { db, passwords, clock, secret } = call
  const attempts = attemptsKey({ realmId, name })
  const key = networkKey(secret, user?.id ?? 0, networkOf(call.remoteAddress))
  const facts = { realmId, actorId: null, targetId: user?.id ?? null }
  let lastLoginAt: number | null
  try {
    await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
    await limitBySite(call, 'passwords', PASSWORDS_PER_SITE)
    await limitByNetwork(call, attempts, ATTEMPTS_PER_NETWORK)
    // The query runs even if there is no account, so that the response time reveals nothing.
    lastLoginAt = await findLastLoginFrom(db, user?.id ?? 0, key, clock.now())
    if (lastLoginAt === null && !isLoggedIn) {
      await limitBySite(call, attempts, ATTEMPTS_PER_SITE)
      await limitGlobally(call, attempts, ATTEMPTS_IN_TOTAL)
    }
  } catch (error) {
    if (error instanceof Refusal) logSecurityEvent(call, 'password_locked', facts)
    throw error
  }
  const hash = user === null ? null : await findPasswordHash(db, user.id)
  const isCorrect = await passwords.verify(hash, password)
  if (!isCorrect) {
    logSecurityEvent(call, 'password_wrong', facts)
    return null
  }
  await resetNetworkLimit(call, attempts)
  await resetSiteLimit(call, attempts)
  if (user !== null && isDueForSaving(lastLoginAt, clock.now())) await rememberNetwork(call, user.id)
  return hash
}

/** Clears the failed attempts to log in as a user who has just set a password, and remembers the network. */
export async function resetPasswordAttempts(
  call: NetworkCall,
  { userId, ...account }: Pick<PasswordAttempt, 'realmId' | 'name'> & { userId: number },
): Promise<void> {
  const attempts = attemptsKey(account)
  await resetNetworkLimit(call, attempts)
  await resetSiteLimit(call, attempts)
  await resetGlobalLimit(call, attempts)
  await rememberNetwork(call, userId)
}

type NetworkCall = RequestOrigin & Pick<Services, 'secret' | 'transaction'>

async function rememberNetwork(
  { attempts, secret, transaction, remoteAddress }: NetworkCall,
  userId: number,
): Promise<void> {
  if (!attempts.isLimited()) return
  const key = networkKey(secret, userId, networkOf(remoteAddress))
  await transaction((tx) => saveLoginFrom(tx, userId, key))
}

const attemptsKey = ({ realmId, name }: Pick<PasswordAttempt, 'realmId' | 'name'>) =>
  `guesses at ${hashSecret(`${realmId} ${name.toLowerCase()}`)}`
