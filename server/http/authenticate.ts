import { findRealm } from '../organizations/realms/queries.ts'
import { subdomainOf } from '../organizations/realms/realm.ts'
import { API_KEY_PATTERN, findApiKeyByHash } from '../people/users/api-keys.ts'
import { withActingRole } from '../people/users/bots/acting-role.ts'
import { findUser } from '../people/users/queries.ts'
import { BotType } from '../people/users/role.ts'
import { type Actor, apiEmail } from '../people/users/user.ts'
import { mapMaybePromise } from '../platform/runtime/map-maybe-promise.ts'
import { hashSecret } from '../platform/security/secrets.ts'
import { generationOf } from '../platform/storage/cache.ts'
import type { CommitCounters, Db } from '../platform/storage/storage.ts'
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
} from './refusals.ts'

/** A key, and whose it is said to be. Whether they may come in is asked anew at each request. */
type Credentials = {
  readonly keyHash: string
  readonly email: string
  /** Whom the key let in last, while nothing that they hang on was written. */
  holder: { readonly commitCounters: CommitCounters; readonly generation: number; readonly found: Holder } | null
}

/** What a holder of a key hangs on: rows that are found by keys, so nothing that is added changes who it is. */
const CREDENTIAL_TABLES = ['apiKeys', 'users', 'realms'] as const

/** How many headers are remembered in their decoded form. */
const MAX_REMEMBERED_HEADERS = 20_000

/** Enough for the longest address and a key; strangers must not fill the memory. */
const MAX_REMEMBERED_LENGTH = 600

const rememberedHeaders = new Map<string, Credentials>()

/** Somebody as requests know them, and in lower case the addresses that they may name themselves by. */
type Holder = { readonly actor: Actor; readonly addresses: readonly string[]; readonly apiKeyId: number }

/** Whose request it is, and the key that says so. */
export type Authenticated = { actor: Actor; apiKeyId: number }

type Request = { authorization: string | undefined; host: string; allowsWebhookBots: boolean }

/**
 * Whose request it is, by HTTP Basic with an API key. Refuses in the documented order; an unknown address and a wrong
 * key are not told apart. A request with known credentials does no query, and is answered at once.
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

/** While it stays the same, `authenticate` says the same; equal to no number, itself included, while nobody can tell. */
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
          return { actor: { ...acting, realm }, addresses: addresses.map((one) => one.toLowerCase()), apiKeyId: key.id }
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
  const remembered = rememberedHeaders.get(header)
  if (remembered !== undefined) return remembered
  const credentials = decodeHeader(header)
  if (header.length > MAX_REMEMBERED_LENGTH) return credentials
  if (rememberedHeaders.size >= MAX_REMEMBERED_HEADERS) rememberedHeaders.clear()
  rememberedHeaders.set(header, credentials)
  return credentials
}

function decodeHeader(header: string): Credentials {
  const words = header.trim().split(/\s+/)
  const [scheme, encoded] = words
  if (words.length !== 2 || scheme === undefined || encoded === undefined) throw badAuthorizationHeader()
  if (scheme.toLowerCase() !== 'basic') throw notBasic()
  const parts = decodeBase64(encoded)?.split(':')
  const [email, key] = parts ?? []
  if (parts?.length !== 2 || email === undefined || key === undefined) throw badAuthorizationHeader()
  if (!API_KEY_PATTERN.test(key.trim())) throw malformedKey()
  return { keyHash: hashSecret(key.trim()), email: email.trim().toLowerCase(), holder: null }
}

/** The text, or null when the padding is wrong or the bytes are no UTF-8; foreign characters are skipped. */
function decodeBase64(encoded: string): string | null {
  const letters = encoded.replace(/[^A-Za-z0-9+/=]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters) || letters.length % 4 !== 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(letters, 'base64'))
  } catch {
    return null
  }
}
