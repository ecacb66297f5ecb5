import { z } from 'zod'
import { type Call, endpoint, type Services } from '#http/endpoint.ts'
import { field } from '#http/page-html.ts'
import {
  limitByNetwork,
  limitBySite,
  limitGlobally,
  networkOf,
  type RateRule,
  type RequestOrigin,
  resetGlobalLimit,
  resetNetworkLimit,
  resetSiteLimit,
  takeBackAttempt,
} from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findDirectoryLink, findSignInMethods } from '#identity/providers.ts'
import { Refusal, refusal } from '#lib/errors.ts'
import type { Html } from '#lib/html.ts'
import { hashSecret } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { findPasswordHash, lockPassword, replacePasswordHash } from '#people/password-hashes.ts'
import { MIN_PASSWORD_LENGTH, requireUsablePassword, tooManyPasswords } from '#people/password-rules.ts'
import { logSecurityEvent } from '#people/security-log.ts'
import { findLastLoginFrom, isDueForSaving, isRecentLogin, networkKey, saveLoginFrom } from '#people/sessions.ts'
import type { Actor, User } from '#people/users.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Checks of passwords: of attempts to enter one, of the current one before a change, and of a new one. Failed attempts
// are counted by account and network before a hash is computed. A change fails if the password was changed since it was
// checked.

export const wrongPassword = refusal('BAD_REQUEST', 400, 'Wrong password!', { field: '{parameter}' })

/** The limit of wrong passwords for one account name from one network: 5 in half an hour. */
const ATTEMPTS_PER_NETWORK: readonly RateRule[] = [[1800, 5]]

/**
 * The limit of password attempts from one network, correct ones included, for all accounts together. An office where
 * everyone logs in at once stays below it. It is too low for trying a list of names.
 */
export const PASSWORDS_PER_NETWORK: readonly RateRule[] = [
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

export type PasswordCall = Pick<Services, 'db' | 'passwords' | 'log' | 'securityLines' | 'clock'> & NetworkCall

/**
 * Returns the hash of the account's password if the given password is correct, and null otherwise. After too many wrong
 * passwords, even the correct one is refused. Verification takes a while, so a later transaction must check that the
 * hash is unchanged.
 */
export async function findVerifiedHash(
  call: PasswordCall,
  { user, name, realmId, password, isLoggedIn = false }: PasswordAttempt,
): Promise<string | null> {
  const attempt = await countPassword(call, { user, key: attemptsKey({ realmId, name }), realmId, isLoggedIn })
  const hash = await verifyPassword(call, user, password)
  await (hash === null ? attempt.fail() : attempt.succeed())
  return hash
}

/** Returns the key under which the attempts for an account name are counted. */
export const attemptsKey = ({ realmId, name }: Pick<PasswordAttempt, 'realmId' | 'name'>) =>
  `guesses at ${hashSecret(`${realmId} ${name.toLowerCase()}`)}`

/** An attempt that was counted before its password is checked. It stays counted unless it is taken back. */
type CountedPassword = {
  /** The password is correct: the wrong ones before it are forgotten, and the network is remembered. */
  succeed(): Promise<void>
  /** The password is wrong, which is logged. */
  fail(): Promise<void>
  /** The password could not be checked. */
  takeBack(): Promise<void>
}

/**
 * Counts an attempt to enter a password, before any work. Refuses after too many. Attempts are counted by account name.
 * If they were counted by account, the limit would reveal whose account a hidden address belongs to. For a network where
 * the user has logged in before, only attempts from this network count. An attacker elsewhere therefore cannot lock the
 * user out there.
 */
export async function countPassword(
  call: PasswordCall,
  given: { user: User | null; key: string; realmId: number; isLoggedIn?: boolean },
): Promise<CountedPassword> {
  await loggingLocks(call, given, () => limitPasswordWork(call))
  return countGuess(call, given)
}

/** Refuses if too many passwords came from this network. Hashing one takes a while. */
export async function limitPasswordWork(call: NetworkCall): Promise<void> {
  await limitByNetwork(call, 'passwords', PASSWORDS_PER_NETWORK)
  await limitBySite(call, 'passwords', PASSWORDS_PER_SITE)
}

/** Counts an attempt under a second key, for a method in which several names lead to the same password. */
export async function countGuess(
  call: PasswordCall,
  { user, key, realmId, isLoggedIn = false }: { user: User | null; key: string; realmId: number; isLoggedIn?: boolean },
): Promise<CountedPassword> {
  const { db, clock, secret } = call
  const network = networkKey(secret, user?.id ?? 0, networkOf(call.remoteAddress))
  const lastLoginAt = await loggingLocks(call, { user, realmId }, async () => {
    await limitByNetwork(call, key, ATTEMPTS_PER_NETWORK)
    // The query runs even if there is no account, so that the response time reveals nothing.
    const last = await findLastLoginFrom(db, user?.id ?? 0, network, clock.now())
    if (last === null && !isLoggedIn) {
      await limitBySite(call, key, ATTEMPTS_PER_SITE)
      await limitGlobally(call, key, ATTEMPTS_IN_TOTAL)
    }
    return last
  })
  return {
    async succeed() {
      await resetNetworkLimit(call, key)
      await resetSiteLimit(call, key)
      if (user !== null && isDueForSaving(lastLoginAt, clock.now())) await rememberNetwork(call, user.id)
    },
    async fail() {
      logSecurityEvent(call, 'password_wrong', { realmId, actorId: null, targetId: user?.id ?? null })
    },
    takeBack: () => takeBackAttempt(call, key, { isGlobal: lastLoginAt === null && !isLoggedIn }),
  }
}

/** Calls a function that limits attempts, and logs a refusal. */
async function loggingLocks<Result>(
  call: PasswordCall,
  { user, realmId }: Pick<PasswordAttempt, 'user' | 'realmId'>,
  limit: () => Promise<Result>,
): Promise<Result> {
  try {
    return await limit()
  } catch (error) {
    if (error instanceof Refusal)
      logSecurityEvent(call, 'password_locked', { realmId, actorId: null, targetId: user?.id ?? null })
    throw error
  }
}

/** Returns the hash of the account's password if the given one is correct, and null otherwise. Counts no attempt. */
export async function verifyPassword(call: PasswordCall, user: User | null, password: string): Promise<string | null> {
  const { db, passwords } = call
  const hash = user === null ? null : await findPasswordHash(db, user.id)
  if (!(await passwords.verify(hash, password))) return null
  return user !== null && hash !== null && passwords.isOutdated(hash) ? renewHash(call, user, hash, password) : hash
}

/**
 * Replaces the hash of a correct password by one at the present cost. Returns the hash that the account has then; null if
 * the password was changed meanwhile.
 */
async function renewHash(
  { db, passwords, transaction }: Pick<Services, 'db' | 'passwords' | 'transaction'>,
  user: User,
  hash: string,
  password: string,
): Promise<string | null> {
  const renewed = await passwords.hash(password)
  if (await transaction((tx) => replacePasswordHash(tx, user, hash, renewed))) return renewed
  const current = await findPasswordHash(db, user.id)
  return (await passwords.verify(current, password)) ? current : null
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

export const currentPasswordNeeded = refusal(
  'BAD_REQUEST',
  400,
  'Your current password is required. Send it as {parameter}, or log in again.',
  { field: '{parameter}' },
)

export const reauthenticationRequired = refusal(
  'REAUTHENTICATION_REQUIRED',
  400,
  'Your account has no password here. Confirm with two-step login, or log in again.',
  { field: '{parameter}' },
)

/**
 * Returns whether a password of this server can prove who the user is: the account has one, the organization uses
 * passwords, and the account is not connected to a directory.
 */
export async function hasUsablePassword(db: Db, { id, realm }: Pick<Actor, 'id' | 'realm'>): Promise<boolean> {
  const methods = await findSignInMethods(db, realm)
  if (!methods.isPasswordEnabled || (await findPasswordHash(db, id)) === null) return false
  return (await findDirectoryLink(db, methods, id)) === null
}

/**
 * A verified password. `hash` is its hash, or null if the session logged in recently enough. `parameter` is the
 * parameter that contained the password.
 */
type VerifiedPassword = { hash: string | null; parameter: string }

/** Returns whether the session logged in so recently that the password is not required. */
const hasJustLoggedIn = ({ session, clock }: Call) => session !== null && isRecentLogin(session, clock.now())

/**
 * Refuses unless the caller sends the current password, or logged in with this session in the last 10 minutes, or
 * confirmed it with a second factor. Users without a password can only do the latter. A wrong password is always refused.
 * Call `requireUnchangedPassword` in the transaction that follows.
 */
export async function requireCurrentPassword(
  call: Call,
  { password, parameter }: { password: string; parameter: string },
): Promise<VerifiedPassword> {
  const { actor } = call
  if (password === '' && hasJustLoggedIn(call)) return { hash: null, parameter }
  if (!(await hasUsablePassword(call.db, actor))) throw reauthenticationRequired({ parameter })
  if (password === '') throw currentPasswordNeeded({ parameter })
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
    'Your current password. Needed for requests with a session, unless you logged in or confirmed the session within the last 10 minutes. Not needed with an API key.',
  )

export const sessionPasswordRefusals = [
  wrongPassword,
  currentPasswordNeeded,
  reauthenticationRequired,
  tooManyPasswords,
]

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

/** The maximum number of passwords that are checked for a network in one minute. */
const RULES_PER_NETWORK: readonly RateRule[] = [[60, 120]]

/** The maximum length of a field, in UTF-16 code units. No valid password or name is longer. */
const MAX_LENGTH = 1000

/** Tells forms what is wrong with a new password while the user types, so that they agree with the rule. */
export const checkPassword = endpoint({
  route: 'POST /passwords/check',
  summary: 'Check a new password',
  description:
    'Stores nothing. It needs no credentials, because new users choose a password before they have an account.',
  who: 'anyone',
  params: {
    password: z.string(),
    email: z.string().optional().describe('The address of the account, which cannot be its password.'),
    organization: z.string().optional().describe('The name of the organization, which is easy to guess.'),
  },
  returns: { problem: z.string().nullable().describe('Null if the password is accepted.') },
  async handle(call, given) {
    await limitByNetwork(call, 'password checks', RULES_PER_NETWORK)
    const [password, email, organization] = [given.password, given.email ?? '', given.organization ?? ''].map((text) =>
      text.slice(0, MAX_LENGTH),
    ) as [string, string, string]
    const checked = await catchRefusal(async () =>
      requireUsablePassword(password, { email: email.trim(), organization }, call.settings),
    )
    return { problem: checked instanceof Refusal ? checked.message : null }
  },
})

/** Renders the field for a new password with its requirements. */
export function newPasswordField(options: {
  name?: string
  label?: string
  error: string | undefined
  /** Replaces the requirements. */
  hint?: string
  isOptional?: boolean
  isFocused?: boolean
  /** The name of the organization, which must not be the password. */
  organization: string
}): Html {
  const { name = 'password', label = t('Password'), error, isOptional, isFocused, organization } = options
  const hint =
    options.hint ??
    t('At least {limit} characters. Three or four unrelated words make a strong password.', {
      limit: MIN_PASSWORD_LENGTH,
    })
  const autocomplete = 'new-password'
  return field({ name, label, type: 'password', hint, error, autocomplete, isOptional, isFocused, organization })
}
