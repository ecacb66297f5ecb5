import { z } from 'zod'
import { type PageCall, readCookie, setCookie } from '#http/pages.ts'
import { decrypt, encrypt, equalSecrets, hashSecret, type Random } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Sign-ins that have begun and continue with a later request, on any node: after the answer of a provider, or after a
// confirmation. Each has a key that is in an address or a form and works once, and most are bound to the browser in
// which they began, by a cookie. So nobody can finish in another browser what they began in their own. Only hashes of
// the keys are stored, and the content is encrypted.

/** The result of a sign-in for the user. It is plain data, so that it survives further steps. */
export const signInGoal = z.discriminatedUnion('kind', [
  /** A session in the browser, and the page at `next`. `isKept`: the session stays open when the browser is closed. */
  z.object({ kind: z.literal('browser'), next: z.string(), isKept: z.boolean() }),
  /** An API key for a mobile app, encrypted with its one-time pad. */
  z.object({ kind: z.literal('mobile'), otp: z.string() }),
  /**
   * A key with which the desktop app opens a session, encrypted with a key of the app. `browser` is the SHA-256 of the
   * key in the cookie of the app; '' if the app did not send it.
   */
  z.object({ kind: z.literal('desktop'), otp: z.string(), browser: z.string() }),
])

export type SignInGoal = z.infer<typeof signInGoal>

/** An account of another service, as the service describes it at a sign-in. */
const externalIdentity = z.object({
  /** The id of the provider. */
  provider: z.string(),
  /** The service that names the person: an address, or the name of an identity provider. */
  issuer: z.string(),
  /** The id of the person there, which never changes. */
  subject: z.string(),
  /** Null if the provider did not confirm that the address belongs to the person. */
  email: z.string().nullable(),
  name: z.string(),
  picture: z.string().nullable(),
  /** Null if the provider said nothing about groups. */
  groups: z.array(z.string()).nullable(),
})

export type ExternalIdentity = z.infer<typeof externalIdentity>

/** The session at an identity provider of SAML: how it names the person, and the session. */
const samlSession = z.object({ nameId: z.string(), format: z.string(), index: z.string().nullable() })

export type SamlSession = z.infer<typeof samlSession>

const pendingContent = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('provider'),
    provider: z.string(),
    /** The issuer to which the browser was sent. */
    issuer: z.string(),
    nonce: z.string(),
    verifier: z.string(),
    goal: signInGoal,
    /** The key of the invitation with which the sign-in began; '' for none. */
    invitation: z.string(),
    /** True if an owner tests the provider: the answer is shown, and nobody is signed in. */
    isTest: z.boolean(),
  }),
  /** An identity that a form of another site has brought. `state` is the hash of the key of the sign-in that waits for it. */
  z.object({ kind: z.literal('answer'), state: z.string(), identity: externalIdentity, session: samlSession }),
  z.object({ kind: z.literal('link'), identity: externalIdentity, userId: z.int(), goal: signInGoal }),
  z.object({ kind: z.literal('desktop'), userId: z.int(), browser: z.string() }),
  /** A person whom a token has named, who confirms the sign-in because a form of another site has sent the token. */
  z.object({
    kind: z.literal('token'),
    email: z.string(),
    name: z.string(),
    createsAccounts: z.boolean(),
    goal: signInGoal,
  }),
  /** A logout of which an identity provider was told, with the id of the request. */
  z.object({ kind: z.literal('logout'), provider: z.string(), issuer: z.string(), nonce: z.string() }),
  /** The first sign-in of the owner of a demo organization, which was created at another host. */
  z.object({ kind: z.literal('demo'), userId: z.int() }),
])

export type PendingSignIn = z.infer<typeof pendingContent>

type Kind = PendingSignIn['kind']

/** Seconds after which a sign-in that was begun can no longer be completed. */
const LIFETIME: Record<Kind, number> = {
  provider: 600,
  answer: 60,
  link: 1800,
  desktop: 60,
  token: 600,
  logout: 600,
  demo: 600,
}

const KEY_LENGTH = 32
const KEY = /^[\w-]{43}$/

const purposeOf = (hash: string) => ['pending sign-in', hash]

/** Saves a sign-in and returns the key that continues it. `browser` is the key in the cookie; '' for any browser. */
export async function savePendingSignIn(
  tx: Transaction,
  realmId: number,
  browser: string,
  pending: PendingSignIn,
): Promise<string> {
  await tx.deleteFrom('pendingSignIns').where('expiresAt', '<=', tx.now).execute()
  const key = tx.random.bytes(KEY_LENGTH).toString('base64url')
  const hash = hashSecret(key)
  const content = encrypt(tx.db.secret(), tx.random, purposeOf(hash), JSON.stringify(pending))
  const expiresAt = tx.now + LIFETIME[pending.kind]
  await tx
    .insertInto('pendingSignIns')
    .values({ hash, realmId, browserHash: hashSecret(browser), content, expiresAt })
    .execute()
  return key
}

/**
 * Returns the sign-in that the key continues in this browser. Returns null if the key is unknown, has expired, was used,
 * or belongs to another browser, organization or kind of sign-in. Without a browser (null), the caller must not continue
 * the sign-in yet.
 */
export async function findPendingSignIn<Of extends Kind>(
  db: Db,
  { key, ...given }: { realmId: number; browser: string | null; kind: Of; key: string; now: number },
): Promise<Extract<PendingSignIn, { kind: Of }> | null> {
  return KEY.test(key) ? findPendingByHash(db, { ...given, hash: hashSecret(key) }) : null
}

/** Like `findPendingSignIn`, for a key of which only the hash is known. */
export async function findPendingByHash<Of extends Kind>(
  db: Db,
  {
    realmId,
    browser,
    kind,
    hash,
    now,
  }: { realmId: number; browser: string | null; kind: Of; hash: string; now: number },
): Promise<Extract<PendingSignIn, { kind: Of }> | null> {
  const row = await db
    .selectFrom('pendingSignIns')
    .select(['browserHash', 'content'])
    .where('hash', '=', hash)
    .where('realmId', '=', realmId)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  if (row === undefined || (browser !== null && !equalSecrets(row.browserHash, hashSecret(browser)))) return null
  const text = decrypt(db.secret(), purposeOf(hash), row.content)
  // A sign-in that began before an upgrade may lack a field.
  const pending = text === null ? undefined : pendingContent.safeParse(JSON.parse(text)).data
  return pending?.kind === kind ? (pending as Extract<PendingSignIn, { kind: Of }>) : null
}

/** Uses up the key with this hash. Returns false if it was already used. */
export async function deletePendingSignIn(tx: Transaction, hash: string): Promise<boolean> {
  const deleted = await tx.deleteFrom('pendingSignIns').where('hash', '=', hash).returning('hash').execute()
  return deleted.length > 0
}

/**
 * Marks a message of a provider, such as a logout token, as used for some seconds. Returns false if it was already used,
 * so that it cannot be replayed.
 */
export async function useOnce(tx: Transaction, realmId: number, message: string, seconds: number): Promise<boolean> {
  const row = { hash: hashSecret(`used ${realmId} ${message}`), realmId, browserHash: '', content: '' }
  const saved = await tx
    .insertInto('pendingSignIns')
    .values({ ...row, expiresAt: tx.now + seconds })
    .onConflict((on) => on.column('hash').doNothing())
    .returning('hash')
    .execute()
  return saved.length > 0
}

const SAML_COOKIE = 'saml'

/** A session at an identity provider of SAML, and the account there with which its browser signed in here. */
const samlCookie = z.object({
  provider: z.string(),
  issuer: z.string(),
  subject: z.string(),
  session: samlSession,
})

export type SamlCookie = z.infer<typeof samlCookie>

type Keys = Pick<PageCall, 'settings' | 'secret'> & { realm: { id: number } }

const samlPurpose = ({ realm }: Keys) => ['saml session', realm.id]

/**
 * Returns the Set-Cookie header with which the browser keeps its session at an identity provider, encrypted, until it is
 * closed; it is needed for the logout there. Null deletes it.
 */
export const samlSessionCookie = (call: Keys & { random: Random }, session: SamlCookie | null): string =>
  setCookie(
    call.settings,
    SAML_COOKIE,
    session === null ? '' : encrypt(call.secret, call.random, samlPurpose(call), JSON.stringify(session)),
  )

/** Returns the session at an identity provider that the browser keeps; null if it keeps none. */
export function readSamlSession(call: Keys & Pick<PageCall, 'headers'>): SamlCookie | null {
  const text = decrypt(call.secret, samlPurpose(call), readCookie(call.settings, call, SAML_COOKIE) ?? '')
  return text === null ? null : (samlCookie.safeParse(JSON.parse(text)).data ?? null)
}

const BROWSER_COOKIE = 'browser'

/** Returns the key of the browser that sent the request; '' if it has none. */
export function readBrowserKey(call: Pick<PageCall, 'settings' | 'headers'>): string {
  const key = readCookie(call.settings, call, BROWSER_COOKIE) ?? ''
  return KEY.test(key) ? key : ''
}

/** Returns the Set-Cookie header with the key of the browser. The cookie ends with the longest pending sign-in. */
export const browserKeyCookie = (settings: PageCall['settings'], key: string): string =>
  setCookie(settings, BROWSER_COOKIE, key, LIFETIME.link)

/** Returns a new key of a browser. */
export const newBrowserKey = (random: Random): string => random.bytes(KEY_LENGTH).toString('base64url')
