import { createHmac, type KeyObject } from 'node:crypto'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { decrypt, encrypt, hashSecret, type Random, toBase32 } from '#lib/secrets.ts'
import type { Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { mustHaveSecondFactor, Role } from '#rules/role.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { browserName } from './sessions.ts'
import { findUsersById } from './user-queries.ts'
import { type Actor, isBot, type User } from './users.ts'

// The second factors of accounts: the secret of an authenticator app, passkeys, recovery codes in their place, and the
// browsers that are not asked for one. Secrets of apps are encrypted, recovery codes are stored as keyed hashes, and a
// passkey leaves only its public key here. A code is used in the transaction that relies on it, and never twice. An
// organization can require a second factor: after some days of grace, the sessions of people without one are refused.

/** Returns whether a password alone does not sign the user in. */
export async function hasSecondFactor(db: Db, userId: number): Promise<boolean> {
  return (await findTotp(db, userId)) !== null || (await findPasskeys(db, userId)).length > 0
}

type Requirement = Pick<RealmSettings, 'second_factor_required_for' | 'second_factor_grace_days'>

/** Returns whether the organization requires a second factor of the account. It never does so of bots. */
export const needsSecondFactor = (user: Pick<User, 'role' | 'botType'>, required: Requirement): boolean =>
  !isBot(user) && mustHaveSecondFactor(user, required.second_factor_required_for)

type RequiredUser = Pick<User, 'role' | 'botType' | 'joinedAt' | 'secondFactorRequiredAt'>

/** Returns the time at which the account's days of grace began; null if it was never required to have a second factor. */
export const secondFactorGraceBeganAt = (user: RequiredUser, required: Requirement): number | null =>
  user.secondFactorRequiredAt ?? (needsSecondFactor(user, required) ? user.joinedAt : null)

/** Returns the time from which the account cannot be used without a second factor; null if it need not have one. */
export function secondFactorDueAt(user: RequiredUser, required: Requirement): number | null {
  const beganAt = secondFactorGraceBeganAt(user, required)
  if (beganAt === null || !needsSecondFactor(user, required)) return null
  return beganAt + required.second_factor_grace_days * SECONDS_PER_DAY
}

/** Returns whether the account must have a second factor now, because its days of grace are over. */
export function isSecondFactorDue(user: RequiredUser, required: Requirement, now: number): boolean {
  const dueAt = secondFactorDueAt(user, required)
  return dueAt !== null && dueAt <= now
}

const knownFactors = defineCache<number, boolean>({
  dependsOn: ['totpSecrets', 'passkeys'],
  limit: 20_000,
  load: hasSecondFactor,
  update: hasSecondFactor,
  isAffected: (id, _, userIds) => userIds.includes(id),
})

/** Returns whether the person lacks a second factor that they must have now. It costs no query if that is known. */
export async function lacksRequiredFactor(db: Db, actor: Actor, now: number): Promise<boolean> {
  return isSecondFactorDue(actor, actor.realm.settings, now) && !(await knownFactors.get(db, actor.id))
}

/** Returns the active people of the organization who have no second factor, in no particular order. */
export async function findPeopleWithoutFactor(db: Db, realmId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('totpSecrets').select('userId').whereRef('totpSecrets.userId', '=', 'users.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('passkeys').select('id').whereRef('passkeys.userId', '=', 'users.id'))),
    )
    .execute()
  return findUsersById(
    db,
    rows.map(({ id }) => id),
  )
}

/**
 * Begins the days of grace of all people to whom the organization's requirement applies for the first time. They are not
 * begun again when the requirement ends and returns, but then everyone gets the emails about it again.
 */
export async function beginSecondFactorGrace(tx: Transaction, realm: Pick<Realm, 'id' | 'settings'>): Promise<void> {
  const who = realm.settings.second_factor_required_for
  if (who === 'nobody') {
    await tx
      .deleteFrom('secondFactorNotices')
      .where('userId', 'in', (from) => from.selectFrom('users').select('id').where('realmId', '=', realm.id))
      .execute()
    return
  }
  await tx
    .updateTable('users')
    .set({ secondFactorRequiredAt: tx.now })
    .where('realmId', '=', realm.id)
    .where('secondFactorRequiredAt', 'is', null)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .where('role', '<=', who === 'everyone' ? Role.guest : Role.administrator)
    .returning('id')
    .execute()
}

/**
 * Makes transactions that change the second factors of a user, or sign the user in, wait for each other. Returns whether
 * the account is active.
 */
export async function lockSecondFactors(tx: Transaction, userId: number): Promise<boolean> {
  const row = await tx.db
    .selectFrom('users')
    .select('deactivatedAt')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.deactivatedAt === null
}

/** Deletes all second factors, recovery codes and trusted browsers of a user. Returns false if there was no factor. */
export async function deleteSecondFactors(tx: Transaction, userId: number): Promise<boolean> {
  await lockSecondFactors(tx, userId)
  await deleteTrustedBrowsers(tx, userId)
  if (!(await hasSecondFactor(tx.db, userId))) return false
  await tx.deleteFrom('totpSecrets').where('userId', '=', userId).returning('userId').execute()
  await tx.deleteFrom('passkeys').where('userId', '=', userId).returning('userId').execute()
  await deleteRemainsOfFactors(tx, userId)
  return true
}

/**
 * Deletes the trusted browsers, because a factor was removed, and the recovery codes if no factor is left.
 */
export async function deleteRemainsOfFactors(tx: Transaction, userId: number): Promise<void> {
  await deleteTrustedBrowsers(tx, userId)
  if (await hasSecondFactor(tx.db, userId)) return
  await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute()
}

// Authenticator apps (TOTP, RFC 6238): six digits that change every 30 seconds.

const STEP_SECONDS = 30

/** The length of a secret in bytes, as RFC 4226 recommends. */
const TOTP_SECRET_LENGTH = 20

const purposeOfTotp = (userId: number) => ['totp secret', userId]

export const newTotpSecret = (random: Random): string => toBase32(random.bytes(TOTP_SECRET_LENGTH)).toUpperCase()

/** Returns the address in the QR code from which apps read the secret. */
export async function totpAddress(secret: string, account: { issuer: string; label: string }): Promise<string> {
  const { generateURI } = await import('otplib')
  // Apps separate the two at the first colon.
  return generateURI({ ...account, issuer: account.issuer.replaceAll(':', ' '), secret })
}

/**
 * Returns the number of the time step of a code that is valid now, one step ago or in one step, since clocks differ; null
 * for all other codes, and for those of the step `lastStep` and before.
 */
export async function findTotpStep(
  secret: string,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): Promise<number | null> {
  if (!/^\d{6}$/.test(code) || lastStep > Math.floor(now / STEP_SECONDS)) return null
  const { verifySync } = await import('otplib')
  const found = verifySync({ secret, token: code, epoch: now, epochTolerance: STEP_SECONDS, afterTimeStep: lastStep })
  return found.valid && 'timeStep' in found ? found.timeStep : null
}

/** Returns since when the user has an authenticator app; null if they have none. */
export async function findTotp(db: Db, userId: number): Promise<{ createdAt: number } | null> {
  const row = await db.selectFrom('totpSecrets').select('createdAt').where('userId', '=', userId).executeTakeFirst()
  return row ?? null
}

type Keys = { secret: KeyObject; random: Random }

export async function saveTotp(
  tx: Transaction,
  { secret, random }: Keys,
  userId: number,
  totp: { secret: string; lastStep: number },
): Promise<void> {
  const encrypted = encrypt(secret, random, purposeOfTotp(userId), totp.secret)
  await tx
    .insertInto('totpSecrets')
    .values({ userId, secret: encrypted, createdAt: tx.now, lastStep: totp.lastStep })
    .returning('userId')
    .execute()
}

export async function deleteTotp(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('totpSecrets').where('userId', '=', userId).returning('userId').execute()
}

/** Uses a code of the user's app. Returns false if it is wrong or not current, or a code of its step was used before. */
async function takeTotp(tx: Transaction, secret: KeyObject, userId: number, code: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom('totpSecrets')
    .select(['secret', 'lastStep'])
    .where('userId', '=', userId)
    .executeTakeFirst()
  const totp = row === undefined ? null : decrypt(secret, purposeOfTotp(userId), row.secret)
  if (row === undefined || totp === null) return false
  const step = await findTotpStep(totp, code, { now: tx.now, lastStep: row.lastStep })
  if (step === null) return false
  await tx.updateTable('totpSecrets').set({ lastStep: step }).where('userId', '=', userId).returning('userId').execute()
  return true
}

// Recovery codes, which replace a lost factor. Each works once.

const RECOVERY_CODES = 10

/** The length of a recovery code in characters, which hold five bits each: 120 bits cannot be guessed from a hash. */
const RECOVERY_CODE_LENGTH = 24

/** Returns the stored form of a recovery code. Without the secret of the server, it cannot be guessed from this. */
const recoveryHash = (secret: KeyObject, userId: number, code: string) =>
  createHmac('sha256', secret).update(`recovery code ${userId} ${code}`).digest('base64url')

/** Returns a code without the dashes and spaces that people type or leave out. */
const compactCode = (code: string) => code.toLowerCase().replace(/[\s-]/g, '')

/** Replaces the recovery codes of a user, and returns the new ones, which cannot be read again. */
export async function replaceRecoveryCodes(
  tx: Transaction,
  { secret, random }: Keys,
  userId: number,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    toBase32(random.bytes(RECOVERY_CODE_LENGTH)).slice(0, RECOVERY_CODE_LENGTH),
  )
  await tx.deleteFrom('recoveryCodes').where('userId', '=', userId).execute()
  await tx
    .insertInto('recoveryCodes')
    .values(codes.map((code) => ({ userId, hash: recoveryHash(secret, userId, code) })))
    .execute()
  return codes.map((code) => code.match(/.{4}/g)?.join('-') ?? code)
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  return (await db.selectFrom('recoveryCodes').select('hash').where('userId', '=', userId).execute()).length
}

async function takeRecoveryCode(tx: Transaction, secret: KeyObject, userId: number, code: string): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('recoveryCodes')
    .where('userId', '=', userId)
    .where('hash', '=', recoveryHash(secret, userId, compactCode(code)))
    .returning('hash')
    .execute()
  return deleted.length > 0
}

/**
 * Uses a code of the app or a recovery code, and returns which of them it was; null if it is neither. Call it after
 * `lockSecondFactors`, so that a code is never used twice at the same time.
 */
export async function takeCode(
  tx: Transaction,
  secret: KeyObject,
  userId: number,
  given: string,
): Promise<'totp' | 'recovery code' | null> {
  const code = compactCode(given)
  if (await takeTotp(tx, secret, userId, code)) return 'totp'
  const isRecoveryCode = code.length === RECOVERY_CODE_LENGTH && (await takeRecoveryCode(tx, secret, userId, code))
  return isRecoveryCode ? 'recovery code' : null
}

// Passkeys, as they are stored; accounts/second-factor/passkeys.ts checks their signatures.

const passkeyColumns = [
  'id',
  'userId',
  'credentialId',
  'publicKey',
  'counter',
  'transports',
  'name',
  'createdAt',
  'lastUsedAt',
] as const

/** The maximum number of passkeys of an account. */
export const MAX_PASSKEYS = 20

export type Passkey = {
  id: number
  userId: number
  credentialId: string
  publicKey: string
  counter: number
  transports: string
  name: string
  createdAt: number
  lastUsedAt: number | null
}

export async function findPasskeys(db: Db, userId: number): Promise<Passkey[]> {
  return db.selectFrom('passkeys').select(passkeyColumns).where('userId', '=', userId).orderBy('id').execute()
}

// Trusted browsers. A cookie with a random token marks them.

/** Seconds for which a browser is not asked for the second factor again. */
export const BROWSER_TRUST = 30 * SECONDS_PER_DAY

/** The maximum number of trusted browsers of an account. A further one replaces the oldest. */
const MAX_TRUSTED_BROWSERS = 20

const TRUST_TOKEN_LENGTH = 32

/** Trusts a browser, and returns the token for its cookie. */
export async function trustBrowser(tx: Transaction, userId: number, userAgent: string): Promise<string> {
  const known = await findTrustedBrowsers(tx.db, userId, tx.now)
  const excess = known.slice(MAX_TRUSTED_BROWSERS - 1).map(({ id }) => id)
  await tx
    .deleteFrom('trustedBrowsers')
    .where('userId', '=', userId)
    .where((where) => where.or([where('expiresAt', '<=', tx.now), where('id', 'in', excess)]))
    .execute()
  const token = tx.random.bytes(TRUST_TOKEN_LENGTH).toString('base64url')
  const times = { createdAt: tx.now, expiresAt: tx.now + BROWSER_TRUST }
  await tx
    .insertInto('trustedBrowsers')
    .values({ userId, hash: hashSecret(token), browser: browserName(userAgent), ...times })
    .execute()
  return token
}

export async function isTrustedBrowser(db: Db, userId: number, token: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('trustedBrowsers')
    .select('id')
    .where('hash', '=', hashSecret(token))
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the trusted browsers of a user, newest first. */
export async function findTrustedBrowsers(
  db: Db,
  userId: number,
  now: number,
): Promise<{ id: number; browser: string; createdAt: number; expiresAt: number }[]> {
  return db
    .selectFrom('trustedBrowsers')
    .select(['id', 'browser', 'createdAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('id', 'desc')
    .execute()
}

/** Forgets all trusted browsers of a user. */
export async function deleteTrustedBrowsers(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('trustedBrowsers').where('userId', '=', userId).execute()
}
