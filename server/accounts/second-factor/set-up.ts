import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '#lib/clock.ts'
import { decrypt, encrypt, type Random } from '#lib/secrets.ts'
import { findTotpStep, newTotpSecret, type Passkey, totpAddress } from '#people/second-factors.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

// The steps to a new second factor, in the settings and at a sign-in. Nothing is stored before a code was right: a key
// holds the encrypted secret of the authenticator app meanwhile.

type Setup = { secret: KeyObject; random: Random; clock: Clock }

/** Seconds in which an authenticator app must be set up. */
const SETUP_SECONDS = 1800

const setupContent = z.tuple([z.string(), z.number()])
const purposeOfSetup = (userId: number) => ['set up totp', userId]

export type TotpSetup = { secret: string; address: string; key: string }

/** Returns a new secret for an app, its address for a QR code, and the key that `readTotpSetup` reads. */
export function startTotpSetup(call: Setup, realm: Realm, user: User): Promise<TotpSetup> {
  const { random, secret, clock } = call
  const totp = newTotpSecret(random)
  const content = JSON.stringify([totp, clock.now() + SETUP_SECONDS])
  return describeTotpSetup(realm, user, totp, encrypt(secret, random, purposeOfSetup(user.id), content))
}

/** Returns the same set-up again, for a page that shows an error. */
export async function describeTotpSetup(realm: Realm, user: User, secret: string, key: string): Promise<TotpSetup> {
  return { secret, key, address: await totpAddress(secret, { issuer: realm.name, label: user.deliveryEmail }) }
}

/** Returns the secret in a key; null if the key is not the user's, or has expired. */
export function readTotpSetup({ secret, clock }: Setup, { id }: User, key: string): string | null {
  const content = decrypt(secret, purposeOfSetup(id), key)
  if (content === null) return null
  const [totp, expiresAt] = setupContent.parse(JSON.parse(content))
  return expiresAt <= clock.now() ? null : totp
}

/** Returns the time step of a code that the app shows now; null for all other codes. */
export const findSetupStep = (secret: string, code: string, now: number): Promise<number | null> =>
  findTotpStep(secret, code.replace(/\s/g, ''), { now, lastStep: 0 })

type NewPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

/** Saves a passkey and returns its id; null if it is an account's already. */
export async function savePasskey(
  tx: Transaction,
  userId: number,
  passkey: NewPasskey,
  name: string,
): Promise<number | null> {
  const [saved] = await tx
    .insertInto('passkeys')
    .values({ ...passkey, userId, name, createdAt: tx.now, lastUsedAt: null })
    .onConflict((on) => on.column('credentialId').doNothing())
    .returning(['id', 'userId'])
    .execute()
  return saved?.id ?? null
}
