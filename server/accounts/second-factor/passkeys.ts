import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { hashSecret, type Random, readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import type { Passkey } from '#people/second-factors.ts'
import type { User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Passkeys (WebAuthn). A passkey belongs to the address of the organization: its host is the RP ID, and responses from
// another origin are refused. Challenges are sealed, so that nothing is stored for those that nobody answers; a used one
// is stored until it expires, and refused from then on. The library is loaded when it is needed.

type Ceremony = { secret: KeyObject; random: Random; clock: Clock; settings: Settings }

/** The purpose of a challenge: a response to it is accepted for nothing else. */
export type Purpose = ['sign in', realmId: number] | ['second factor' | 'confirm' | 'register', userId: number]

/** Seconds until a challenge expires. */
const CHALLENGE_SECONDS = 300

const NONCE_LENGTH = 16

const challengeContent = z.tuple([z.string(), z.number()])

const circumstancesOf = (purpose: Purpose) => ['passkey challenge', ...purpose]

function newChallenge({ secret, random, clock }: Ceremony, purpose: Purpose): string {
  const content = [random.bytes(NONCE_LENGTH).toString('base64url'), clock.now() + CHALLENGE_SECONDS]
  return seal(secret, circumstancesOf(purpose), content)
}

function isCurrentChallenge({ secret, clock }: Ceremony, purpose: Purpose, challenge: string): boolean {
  const content = challengeContent.safeParse(readSealedContent(challenge))
  if (!content.success || content.data[1] <= clock.now()) return false
  return verifySeal(secret, circumstancesOf(purpose), content.data, challenge)
}

/** Marks a challenge as used. Returns false if it was used before. */
async function takeChallenge(tx: Transaction, challenge: string): Promise<boolean> {
  await tx.deleteFrom('usedChallenges').where('expiresAt', '<=', tx.now).execute()
  const row = { hash: hashSecret(challenge), expiresAt: tx.now + CHALLENGE_SECONDS }
  const inserted = await tx
    .insertInto('usedChallenges')
    .values(row)
    .onConflict((on) => on.doNothing())
    .returning('hash')
    .execute()
  return inserted.length > 0
}

function relyingParty({ settings }: Ceremony, { subdomain }: Realm): { rpID: string; origin: string } {
  const { hostName, url } = realmAddress(subdomain, settings.EXTERNAL_URL)
  return { rpID: hostName, origin: url }
}

const transportsOf = ({ transports }: Passkey) => transports.split(',').filter(Boolean)

/** Returns whether the organization is at an address for which browsers make passkeys. */
export function supportsPasskeys({ settings }: Pick<Ceremony, 'settings'>, { subdomain }: Realm): boolean {
  const { hostName, url } = realmAddress(subdomain, settings.EXTERNAL_URL)
  return url.startsWith('https:') || hostName === 'localhost' || hostName.endsWith('.localhost')
}

/** The kinds of keys that all authenticators know between them: Ed25519, ES256 and RS256, by their COSE numbers. */
const KEY_TYPES = [-8, -7, -257]

/** Options as browsers read them. */
type OptionsJson = Record<string, unknown>

/** Returns the options with which a browser makes a passkey for the user. */
export async function registrationOptions(
  call: Ceremony,
  realm: Realm,
  user: User,
  known: readonly Passkey[],
): Promise<OptionsJson> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const options = await generateRegistrationOptions({
    rpName: realm.name,
    rpID: relyingParty(call, realm).rpID,
    userID: new Uint8Array(Buffer.from(String(user.id))),
    userName: user.deliveryEmail,
    userDisplayName: user.fullName,
    challenge: newChallenge(call, ['register', user.id]),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    supportedAlgorithmIDs: KEY_TYPES,
    excludeCredentials: known.map((one) => ({ id: one.credentialId, transports: transportsOf(one) })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  return options as unknown as OptionsJson
}

/** Returns the options with which a browser asks for one of these passkeys; without any, for every one it knows here. */
export async function authenticationOptions(
  call: Ceremony,
  realm: Realm,
  purpose: Purpose,
  passkeys: readonly Passkey[],
): Promise<OptionsJson> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(call, realm).rpID,
    challenge: newChallenge(call, purpose),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: purpose[0] === 'sign in' ? 'required' : 'preferred',
    allowCredentials: passkeys.map((one) => ({ id: one.credentialId, transports: transportsOf(one) })),
  })
  return options as unknown as OptionsJson
}

const base64url = z.string().regex(/^[\w-]+={0,2}$/)

const shared = {
  id: base64url.max(2000),
  rawId: base64url.max(2000),
  type: z.literal('public-key'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
}

const registrationJson = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url.max(5000),
    attestationObject: base64url.max(20_000),
    transports: z
      .array(z.string().regex(/^[\w-]{1,20}$/))
      .max(10)
      .default([]),
  }),
})

const authenticationJson = z.object({
  ...shared,
  response: z.object({
    clientDataJSON: base64url.max(5000),
    authenticatorData: base64url.max(5000),
    signature: base64url.max(5000),
    userHandle: base64url.max(200).nullish(),
  }),
})

/** Parses what a browser sent; null if it is not of this form. */
function parseResponse<Type extends z.ZodType>(type: Type, text: string): z.infer<Type> | null {
  try {
    return type.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Returns the challenge that the browser signed. */
function challengeIn(clientDataJSON: string): string {
  const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge: string }
  return Buffer.from(challenge, 'base64url').toString()
}

type Registered = Pick<Passkey, 'credentialId' | 'publicKey' | 'counter' | 'transports'> & {
  /** Marks the challenge as used. Returns false if it was used before. */
  take: (tx: Transaction) => Promise<boolean>
}

/** Returns the passkey that a browser has made for the user; null if the response proves none. */
export async function verifyRegistration(
  call: Ceremony,
  realm: Realm,
  user: User,
  text: string,
): Promise<Registered | null> {
  const response = parseResponse(registrationJson, text)
  if (response === null) return null
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { rpID, origin } = relyingParty(call, realm)
  try {
    const challenge = challengeIn(response.response.clientDataJSON)
    if (!isCurrentChallenge(call, ['register', user.id], challenge)) return null
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: false,
      supportedAlgorithmIDs: KEY_TYPES,
    })
    if (!verified) return null
    const { id, publicKey, counter } = registrationInfo.credential
    return {
      credentialId: id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: response.response.transports.join(','),
      take: (tx) => takeChallenge(tx, challenge),
    }
  } catch {
    // The library throws for each response that it does not accept.
    return null
  }
}

async function findByCredentialId(db: Db, realmId: number, credentialId: string): Promise<Passkey | null> {
  const row = await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.userId')
    .selectAll('passkeys')
    .where('credentialId', '=', credentialId)
    .where('users.realmId', '=', realmId)
    .executeTakeFirst()
  return row ?? null
}

export type ProvedPasskey = {
  userId: number
  /**
   * Records the use in the transaction that relies on it. Returns false if the challenge or the passkey was used or
   * removed meanwhile.
   */
  take: (tx: Transaction) => Promise<boolean>
}

/**
 * Returns the passkey of this organization that signed the response; null if the response proves none. A sign-in without
 * a password requires that the authenticator has verified its user. A counter that does not grow means that the passkey
 * was copied, and is refused.
 */
export async function verifyPasskey(
  call: Ceremony & { db: Db },
  realm: Realm,
  purpose: Purpose,
  text: string,
): Promise<ProvedPasskey | null> {
  const response = parseResponse(authenticationJson, text)
  const passkey = response === null ? null : await findByCredentialId(call.db, realm.id, response.id)
  if (response === null || passkey === null) return null
  if (purpose[0] !== 'sign in' && passkey.userId !== purpose[1]) return null
  const { userHandle } = response.response
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== String(passkey.userId)) return null
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { rpID, origin } = relyingParty(call, realm)
  try {
    const challenge = challengeIn(response.response.clientDataJSON)
    if (!isCurrentChallenge(call, purpose, challenge)) return null
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: Buffer.from(challenge).toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: purpose[0] === 'sign in',
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    })
    if (!verified) return null
    const counter = authenticationInfo.newCounter
    return {
      userId: passkey.userId,
      take: async (tx) => (await takeChallenge(tx, challenge)) && saveUse(tx, passkey, counter),
    }
  } catch {
    // The library throws for each response that it does not accept.
    return null
  }
}

/** Saves the use of a passkey. Returns false if it was removed, or used at the same time. */
async function saveUse(tx: Transaction, { id, counter: known }: Passkey, counter: number): Promise<boolean> {
  const changed = await tx
    .updateTable('passkeys')
    .set({ counter, lastUsedAt: tx.now })
    .where('id', '=', id)
    .where('counter', '=', known)
    .returning('userId')
    .execute()
  return changed.length > 0
}
