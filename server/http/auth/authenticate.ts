import { mapMaybePromise } from '#lib/deferred.ts'
import { hashSecret } from '#lib/secrets.ts'
import { API_KEY_PATTERN, findApiKeyByHash } from '#people/api-keys.ts'
import { withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, apiEmail } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { subdomainOf } from '#realms/realm.ts'
import { BotType } from '#rules/role.ts'
import { generationOf } from '#storage/cache.ts'
import type { CommitCounters, Db } from '#storage/storage.ts'
import {
  accountDeactivated,
  badAuthorizationHeader,
  invalidKey,
  malformedKey,
  notBasic,
  notForWebhookBots,
  notLoggedIn,
  realmDeactivated,
  wrongSubdomain,
} from '../refusals.ts'

/** An API key with the address of its account. Each request checks again whether both are valid. */
type Credentials = {
  readonly keyHash: string
  readonly email: string
  /** The account of the key, valid until one of CREDENTIAL_TABLES is written. */
  holder: { readonly commitCounters: CommitCounters; readonly generation: number; readonly found: Holder } | null
}

/**
 * The tables that determine the account of a key. Their rows are found by primary key or hash, so adding rows changes
 * no result.
 */
const CREDENTIAL_TABLES = ['apiKeys', 'users', 'realms'] as const

/** The maximum number of decoded headers in the cache. */
const MAX_CACHED_HEADERS = 20_000

/**
 * The maximum length of a cached header, in characters. It is enough for any address and key. Longer headers are not
 * cached, so that requests without valid credentials cannot fill the memory.
 */
const MAX_CACHED_LENGTH = 600

const cachedCredentials = new Map<string, Credentials>()

/** An account with the addresses, in lower case, that its requests may use. */
type Holder = { readonly actor: Actor; readonly addresses: readonly string[]; readonly apiKeyId: number }

/** The account that sent a request, and its API key. */
type Authenticated = { actor: Actor; apiKeyId: number }

type Request = { authorization: string | undefined; host: string; allowsWebhookBots: boolean }

/**
 * Authenticates a request by HTTP Basic with an API key. Refuses in the documented order, and in the same way for an
 * unknown address and a wrong key. Known credentials need no query, and are checked synchronously.
 */
export function authenticate(db: Db, request: Request): Authenticated | Promise<Authenticated> {
  const credentials = credentialsOf(request.authorization)
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
export const credentialGeneration = (db: Db): number => generationOf(db.commitCounters, [], CREDENTIAL_TABLES)

function findHolder(db: Db, keyHash: string): Holder | Promise<Holder> {
  return mapMaybePromise(findApiKeyByHash(db, keyHash), (key) => {
    if (key === null) throw invalidKey()
    return mapMaybePromise(findUser(db, key.userId), (user) => {
      if (user === null) throw invalidKey()
      return mapMaybePromise(findRealm(db, user.realmId), (realm) => {
        if (realm === null) throw invalidKey()
        return mapMaybePromise(withActingRole(db, user), (acting) => {
          const addresses = [user.deliveryEmail, apiEmail(user, realm, db.settings.EXTERNAL_URL)]
          return {
            actor: { ...acting, realm },
            addresses: addresses.map((address) => address.toLowerCase()),
            apiKeyId: key.id,
          }
        })
      })
    })
  })
}

function requireActive(
  { settings }: Db,
  request: Request,
  { email }: Credentials,
  { actor, addresses, apiKeyId }: Holder,
): Authenticated {
  const { realm } = actor
  if (!addresses.includes(email)) throw invalidKey()
  if (realm.deactivatedAt !== null) throw realmDeactivated()
  if (actor.deactivatedAt !== null) throw accountDeactivated()
  if (subdomainOf(request.host, settings.EXTERNAL_URL, settings.REALM_HOSTS) !== realm.subdomain) throw wrongSubdomain()
  if (actor.botType === BotType.incomingWebhook && !request.allowsWebhookBots) throw notForWebhookBots()
  return { actor, apiKeyId }
}

function credentialsOf(header: string | undefined): Credentials {
  if (header === undefined) throw notLoggedIn()
  const cached = cachedCredentials.get(header)
  if (cached !== undefined) return cached
  const credentials = decodeHeader(header)
  if (header.length > MAX_CACHED_LENGTH) return credentials
  if (cachedCredentials.size >= MAX_CACHED_HEADERS) cachedCredentials.clear()
  cachedCredentials.set(header, credentials)
  return credentials
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
