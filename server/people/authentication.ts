import type { KeyObject } from 'node:crypto'
import {
  type Authentication,
  type Caller,
  isSafe,
  type RequestHead,
  requireSameSite,
  type Sender,
  type Spectator,
} from '#http/authentication.ts'
import type { ResponseHeaders } from '#http/http-types.ts'
import {
  accountDeactivated,
  badAuthorizationHeader,
  csrfFailed,
  invalidDirectoryToken,
  invalidKey,
  invalidWebhookKey,
  malformedKey,
  malformedWebhookKey,
  notBasic,
  notForWebhookBots,
  notLoggedIn,
  onlyForWebhookBots,
  realmDeactivated,
  wrongSubdomain,
} from '#http/refusals.ts'
import type { Clock } from '#lib/clock.ts'
import { mapMaybePromise } from '#lib/deferred.ts'
import { Refusal } from '#lib/errors.ts'
import { equalSecrets, hashSecret } from '#lib/secrets.ts'
import { findAddressedRealm, findRealm } from '#realms/queries.ts'
import { allowsSpectators, type Realm, subdomainOf } from '#realms/realm.ts'
import { BotType, isGuest } from '#rules/role.ts'
import { generationOf } from '#storage/cache.ts'
import type { CommitCounters, Db, RunTransaction } from '#storage/storage.ts'
import { API_KEY_PATTERN, findApiKeyByHash, type KeyUses } from './api-keys.ts'
import { withActingRole } from './bots.ts'
import { findRealmIdOfScimToken } from './scim-tokens.ts'
import { lacksRequiredFactor } from './second-factors.ts'
import {
  csrfToken,
  findSessionByHash,
  isDueForRenewal,
  readSessionToken,
  renewSession,
  type Session,
  sessionCookie,
} from './sessions.ts'
import { findUser } from './user-queries.ts'
import { type Actor, apiEmail, isBot, personIdOf, spectatorOf } from './users.ts'

// Finds who sent a request, by an API key or a session. Credentials are checked for each request, in the documented
// order; a deleted or deactivated one is refused from the next request on, on every node. Unknown addresses and wrong
// keys are refused alike. Known credentials need no query and are checked synchronously.

declare module '#http/authentication.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface AccountTypes {
    actor: Actor
    session: Session
    realm: Realm
  }
}

/** An API key with the address of its account. Each request checks again whether both are valid. */
type Credentials = {
  readonly keyHash: string
  /** The address that the request names; null for a key alone. */
  readonly email: string | null
  /** The account of the key, valid until one of CREDENTIAL_TABLES is written. */
  holder: { readonly commitCounters: CommitCounters; readonly generation: number; readonly found: Holder } | null
}

/**
 * The tables that determine the account of a key. Their rows are found by primary key or hash, so adding rows changes
 * no result.
 */
const CREDENTIAL_TABLES = ['apiKeys', 'users', 'realms'] as const

/** The maximum number of decoded headers, and of keys, in the caches. */
const MAX_CACHED_HEADERS = 20_000

/**
 * The maximum length of a cached header, in characters. It is enough for any address and key. Longer headers are not
 * cached, so that requests without valid credentials cannot fill the memory.
 */
const MAX_CACHED_LENGTH = 600

type CredentialCache = Map<string, Credentials>

/** The credentials of Authorization headers. */
const cachedCredentials: CredentialCache = new Map()

/** The credentials of keys in URLs by their hashes. A hash must never be found as if it were a header. */
const cachedKeys: CredentialCache = new Map()

/** The account that sent a request, and its API key. */
type Authenticated = { readonly actor: Actor; readonly sender: Sender; readonly apiKeyId: number }

/** An account with the addresses, in lower case, that its requests may use. */
type Holder = Authenticated & { readonly addresses: readonly string[] }

type KeyRequest = { authorization: string | undefined; host: string; allowsWebhookBots: boolean }

/** Authenticates a request by HTTP Basic with an API key. */
function authenticate(db: Db, request: KeyRequest): Authenticated | Promise<Authenticated> {
  return authenticateCredentials(db, request, credentialsOf(request.authorization))
}

/** Authenticates a request by an API key alone. */
async function authenticateByKey(db: Db, { host }: RequestHead, key: string): Promise<Authenticated> {
  const trimmed = key.trim()
  if (!API_KEY_PATTERN.test(trimmed)) throw malformedWebhookKey()
  const keyHash = hashSecret(trimmed)
  const cached = cachedKeys.get(keyHash)
  const credentials = cached ?? { keyHash, email: null, holder: null }
  try {
    const request = { authorization: undefined, host, allowsWebhookBots: true }
    const found = await authenticateCredentials(db, request, credentials)
    // Only valid keys are cached.
    if (cached === undefined) addToCache(cachedKeys, keyHash, credentials)
    return found
  } catch (error) {
    throw error instanceof Refusal && error.kind === invalidKey ? invalidWebhookKey() : error
  }
}

function authenticateCredentials(
  db: Db,
  request: KeyRequest,
  credentials: Credentials,
): Authenticated | Promise<Authenticated> {
  const generation = credentialGeneration(db)
  const { holder } = credentials
  if (holder !== null && holder.commitCounters === db.commitCounters && holder.generation === generation)
    return requireActive(db, request, credentials, holder.found)
  return mapMaybePromise(findHolder(db, credentials.keyHash), (found) => {
    credentials.holder = { commitCounters: db.commitCounters, generation, found }
    return requireActive(db, request, credentials, found)
  })
}

/**
 * `authenticate` returns the same result as long as this number does not change. It is NaN, which equals nothing, while
 * that is uncertain.
 */
const credentialGeneration = (db: Db): number => generationOf(db.commitCounters, [], CREDENTIAL_TABLES)

function findHolder(db: Db, keyHash: string): Holder | Promise<Holder> {
  return mapMaybePromise(findApiKeyByHash(db, keyHash), (key) => {
    if (key === null) throw invalidKey()
    return mapMaybePromise(findUser(db, key.userId), (user) => {
      if (user === null) throw invalidKey()
      return mapMaybePromise(findRealm(db, user.realmId), (realm) => {
        if (realm === null) throw invalidKey()
        return mapMaybePromise(withActingRole(db, user), (acting) => {
          const addresses = [user.deliveryEmail, apiEmail(user, realm, db.settings.EXTERNAL_URL)]
          const actor = { ...acting, realm }
          return {
            actor,
            sender: toSender(actor),
            addresses: addresses.map((address) => address.toLowerCase()),
            apiKeyId: key.id,
          }
        })
      })
    })
  })
}

function requireActive({ settings }: Db, request: KeyRequest, { email }: Credentials, holder: Holder): Authenticated {
  const { actor, addresses } = holder
  const { realm } = actor
  if (email !== null && !addresses.includes(email) && !isEscapedAddress(request, holder, email)) throw invalidKey()
  if (realm.deactivatedAt !== null) throw realmDeactivated()
  if (actor.deactivatedAt !== null) throw accountDeactivated()
  if (subdomainOf(request.host, settings.EXTERNAL_URL, settings.REALM_HOSTS) !== realm.subdomain) throw wrongSubdomain()
  if (actor.botType === BotType.incomingWebhook && !request.allowsWebhookBots) throw notForWebhookBots()
  return holder
}

/** Returns whether a service that takes an address from a URL, such as Beanstalk, sent it without decoding its `@`. */
const isEscapedAddress = ({ allowsWebhookBots }: KeyRequest, { addresses }: Holder, email: string): boolean =>
  allowsWebhookBots && addresses.includes(email.replace('%40', '@'))

function credentialsOf(header: string | undefined): Credentials {
  if (header === undefined) throw notLoggedIn()
  const cached = cachedCredentials.get(header)
  if (cached !== undefined) return cached
  const credentials = decodeHeader(header)
  if (header.length > MAX_CACHED_LENGTH) return credentials
  addToCache(cachedCredentials, header, credentials)
  return credentials
}

function addToCache(cache: CredentialCache, key: string, credentials: Credentials): void {
  if (cache.size >= MAX_CACHED_HEADERS) cache.clear()
  cache.set(key, credentials)
}

function decodeHeader(header: string): Credentials {
  const parts = header.trim().split(/\s+/)
  const [scheme, encoded] = parts
  if (parts.length !== 2 || scheme === undefined || encoded === undefined) throw badAuthorizationHeader()
  if (scheme.toLowerCase() !== 'basic') throw notBasic()
  const credentials = decodeBase64(encoded)?.split(':')
  const [email, key] = credentials ?? []
  if (credentials?.length !== 2 || email === undefined || key === undefined) throw badAuthorizationHeader()
  if (!API_KEY_PATTERN.test(key.trim())) throw malformedKey()
  return { keyHash: hashSecret(key.trim()), email: email.trim().toLowerCase(), holder: null }
}

/**
 * Returns the text, or null if the padding is wrong or the bytes are not UTF-8. Characters that do not belong to Base64
 * are skipped.
 */
function decodeBase64(encoded: string): string | null {
  const letters = encoded.replace(/[^A-Za-z0-9+/=]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters) || letters.length % 4 !== 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(letters, 'base64'))
  } catch {
    return null
  }
}

/** Returns the account as limits and rules about callers see it. */
const toSender = (actor: Actor): Sender => ({
  id: actor.id,
  realmId: actor.realmId,
  personId: personIdOf(actor),
  isBot: isBot(actor),
  isGuest: isGuest(actor),
})

/** Refuses an unsafe session request that lacks the session's CSRF token or has a wrong one. */
export function requireCsrfToken(secret: KeyObject, session: Session, method: string, given: string | undefined): void {
  if (isSafe(method)) return
  if (given === undefined) throw csrfFailed({ reason: 'The CSRF token is missing.' })
  if (!equalSecrets(given, csrfToken(secret, session))) throw csrfFailed({ reason: 'The CSRF token is not valid.' })
}

type SessionServices = { db: Db; transaction: RunTransaction; clock: Clock }

/** An account with its session. */
export type SignedIn = { actor: Actor; session: Session }

type BrowserRequest = { headers: { cookie?: string | undefined }; host: string }

/**
 * Returns the account with which the browser is logged in to the addressed organization; null if it is not logged in, or
 * if the account lacks a second factor that it must have now. A cached session costs no query.
 */
export async function findSignedIn(
  services: Pick<SessionServices, 'db' | 'clock'>,
  request: BrowserRequest,
): Promise<SignedIn | null> {
  const found = await findOpenSession(services, request)
  if (found === null || (await lacksRequiredFactor(services.db, found.actor, services.clock.now()))) return null
  return found
}

/** Returns whether the browser has a session that is refused until its user has set up a second factor. */
export async function isSecondFactorMissing(
  services: Pick<SessionServices, 'db' | 'clock'>,
  request: BrowserRequest,
): Promise<boolean> {
  const found = await findOpenSession(services, request)
  return found !== null && lacksRequiredFactor(services.db, found.actor, services.clock.now())
}

async function findOpenSession(
  { db, clock }: Pick<SessionServices, 'db' | 'clock'>,
  request: BrowserRequest,
): Promise<SignedIn | null> {
  const { settings } = db
  const token = readSessionToken(settings, request.headers.cookie)
  if (token === null) return null
  const session = await findSessionByHash(db, hashSecret(token))
  if (session === null || session.expiresAt <= clock.now()) return null

  const user = await findUser(db, session.userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  if (user === null || realm === null || user.deactivatedAt !== null || realm.deactivatedAt !== null) return null
  const isHere = subdomainOf(request.host, settings.EXTERNAL_URL, settings.REALM_HOSTS) === realm.subdomain
  return isHere ? { actor: { ...user, realm }, session } : null
}

/** The requests that clients send by themselves, even if nobody uses the browser. */
const SENT_WITHOUT_USER = /^\/json\/(events|users\/me\/presence)$/

/** Extends a session that is in use, and sets its cookie again. */
export async function renewWhenDue(
  { db: { settings }, transaction, clock }: SessionServices,
  request: Pick<RequestHead, 'headers' | 'path'>,
  { session, actor }: SignedIn,
  headers: ResponseHeaders,
): Promise<void> {
  const limits = actor.realm.settings
  if (SENT_WITHOUT_USER.test(request.path) || !isDueForRenewal(session, clock.now(), limits)) return
  const token = readSessionToken(settings, request.headers.cookie)
  if (token === null) return
  await transaction((tx) => renewSession(tx, session, limits))
  headers['set-cookie'] = sessionCookie(settings, token, session)
}

type AuthenticationServices = SessionServices & {
  keyUses: KeyUses
  /** The secret from which CSRF tokens are derived. */
  secret: KeyObject
}

/** Returns the authentication of this server. */
export function openAuthentication(services: AuthenticationServices): Authentication {
  const { db } = services
  return {
    requireCaller: (head, authMethod, headers, { allowsWebhookBots }) =>
      authMethod === 'session'
        ? requireSessionCaller(services, head, headers)
        : requireKeyCaller(services, head, allowsWebhookBots),
    requireSpectator: (head) => requireSpectator(db, head),
    requireWebhookBot: (head, key) => requireWebhookBot(services, head, key),
    requireKeyHolder: async (head, key) => (await authenticateByKey(db, head, key)).sender,
    requireSender: (head, authMethod) =>
      authMethod === 'session' ? requireSessionSender(services, head) : requireKeySender(db, head),
    async findSender(head, authMethod) {
      try {
        if (authMethod !== 'session') return await requireKeySender(db, head)
        const found = await findSignedIn(services, head)
        return found === null ? null : toSender(found.actor)
      } catch (error) {
        if (error instanceof Refusal) return null
        throw error
      }
    },
    findKnownSessionUser: ({ headers }) => findKnownSessionUser(db, headers.cookie),
    requireDirectory: (head) => requireDirectory(db, head),
    findAddressedRealm: (head) => findAddressedRealm(db, head),
  }
}

async function requireDirectory(db: Db, head: RequestHead): Promise<Realm> {
  const token = /^bearer +([A-Za-z0-9]+)$/i.exec(head.headers.authorization?.trim() ?? '')?.[1]
  const realmId = token === undefined ? null : await findRealmIdOfScimToken(db, token)
  const realm = await findAddressedRealm(db, head)
  if (realmId === null || realm?.id !== realmId) throw invalidDirectoryToken()
  if (realm.deactivatedAt !== null) throw realmDeactivated()
  return realm
}

function requireKeyCaller(
  { db, keyUses }: AuthenticationServices,
  { headers: { authorization }, host }: RequestHead,
  allowsWebhookBots: boolean,
): Caller | Promise<Caller> {
  // A waiting request keeps only this in memory.
  const credentials = { authorization, host, allowsWebhookBots }
  const generation = credentialGeneration(db)
  return mapMaybePromise(authenticate(db, credentials), ({ actor, sender, apiKeyId }) => {
    keyUses.recordUse(apiKeyId)
    return {
      actor,
      sender,
      session: null,
      reauthenticate: () => credentialGeneration(db) === generation || authenticate(db, credentials),
    }
  })
}

async function requireWebhookBot(
  { db, keyUses }: AuthenticationServices,
  head: RequestHead,
  key: string | undefined,
): Promise<Caller> {
  const { authorization } = head.headers
  const { host } = head
  const find = () =>
    key === undefined
      ? authenticate(db, { authorization, host, allowsWebhookBots: true })
      : authenticateByKey(db, head, key)
  const { actor, sender, apiKeyId } = await find()
  if (actor.botType !== BotType.incomingWebhook) throw onlyForWebhookBots()
  keyUses.recordUse(apiKeyId)
  return { actor, sender, session: null, reauthenticate: find }
}

function requireKeySender(db: Db, { headers: { authorization }, host }: RequestHead): Sender | Promise<Sender> {
  return mapMaybePromise(authenticate(db, { authorization, host, allowsWebhookBots: true }), ({ sender }) => sender)
}

async function requireSessionCaller(
  services: AuthenticationServices,
  head: RequestHead,
  headers: ResponseHeaders,
): Promise<Caller> {
  const signedIn = await requireSession(services, head)
  const { actor, session } = signedIn
  await renewWhenDue(services, head, signedIn, headers)
  // A waiting request keeps only this in memory.
  const credentials = { headers: { cookie: head.headers.cookie }, host: head.host }
  return { actor, sender: toSender(actor), session, reauthenticate: () => findSession(services, credentials) }
}

async function requireSessionSender(services: AuthenticationServices, head: RequestHead): Promise<Sender> {
  return toSender((await requireSession(services, head)).actor)
}

/** Returns the session of a request from the same site. Refuses all others. */
async function requireSession(services: AuthenticationServices, head: RequestHead): Promise<SignedIn> {
  requireSameSite(head)
  const found = await findSession(services, head)
  requireCsrfToken(services.secret, found.session, head.method, head.headers['x-csrftoken']?.toString())
  return found
}

async function findSession(services: SessionServices, request: BrowserRequest): Promise<SignedIn> {
  const found = await findSignedIn(services, request)
  if (found === null) throw notLoggedIn()
  return found
}

/** Refuses requests of a client whose session has ended, so that it asks the user to log in again. */
async function requireSpectator(db: Db, head: RequestHead): Promise<Spectator> {
  requireSameSite(head)
  const { cookie, 'x-csrftoken': csrf } = head.headers
  if (csrf !== undefined || readSessionToken(db.settings, cookie) !== null) throw notLoggedIn()
  const realm = await findAddressedRealm(db, head)
  if (realm === null || !allowsSpectators(realm)) throw notLoggedIn()
  return { actor: spectatorOf(realm), isSpectator: true }
}

function findKnownSessionUser(db: Db, cookie: string | undefined): number | null {
  const token = readSessionToken(db.settings, cookie)
  if (token === null) return null
  const session = findSessionByHash(db, hashSecret(token))
  if (!(session instanceof Promise)) return session?.userId ?? null
  session.catch(() => {})
  return null
}
