import { andThen } from '../base/and-then.ts'
import { hashSecret } from '../base/secrets.ts'
import { findRealm } from '../realms/queries.ts'
import { type Realm, subdomainOf } from '../realms/realm.ts'
import type { Db } from '../storage/storage.ts'
import { API_KEY_PATTERN, findApiKeyByHash } from '../users/api-keys.ts'
import { findUser } from '../users/queries.ts'
import { BotType } from '../users/role.ts'
import { type Actor, apiEmail, type User } from '../users/user.ts'
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

/** A key and whose it is; who they are now, and whether they may still come in, is asked anew at each request. */
type Credentials = { keyHash: string; email: string }

/** How many headers are remembered in their decoded form. */
const MAX_REMEMBERED_HEADERS = 20_000

/** Enough for the longest address and a key; strangers must not fill the memory. */
const MAX_REMEMBERED_LENGTH = 600

const rememberedHeaders = new Map<string, Credentials>()

/** Somebody as requests know them, and in lower case the addresses that they may name themselves by. */
type Identity = { readonly actor: Actor; readonly addresses: readonly string[] }

/** Made once of what is kept of each account, and gone with it. */
const identities = new WeakMap<User, Identity>()

/** Whose request it is, and the key that says so. */
export type Authenticated = { actor: Actor; apiKeyId: number }

type Request = { authorization: string | undefined; host: string; allowsWebhookBots: boolean }

/**
 * Whose request it is, by HTTP Basic with an API key. Refuses in the documented order; an unknown address and a wrong
 * key are not told apart. A request with known credentials does no query, and is answered at once.
 */
export function authenticate(db: Db, request: Request): Authenticated | Promise<Authenticated> {
  const credentials = credentialsOf(request.authorization)
  return andThen(findApiKeyByHash(db, credentials.keyHash), (key) => {
    if (key === null) throw invalidKey()
    return andThen(findUser(db, key.userId), (user) => {
      if (user === null) throw invalidKey()
      return andThen(findRealm(db, user.realmId), (realm) => {
        if (realm === null) throw invalidKey()
        return { actor: requireStanding(db, request, credentials.email, user, realm), apiKeyId: key.id }
      })
    })
  })
}

function requireStanding({ settings }: Db, request: Request, email: string, user: User, realm: Realm): Actor {
  const { actor, addresses } = identityOf(user, realm, settings.EXTERNAL_URL)
  if (!addresses.includes(email)) throw invalidKey()
  if (realm.deactivatedAt !== null) throw realmDeactivated()
  if (user.deactivatedAt !== null) throw accountDeactivated()
  if (subdomainOf(request.host, settings.EXTERNAL_URL, settings.REALM_HOSTS) !== realm.subdomain) throw wrongSubdomain()
  if (user.botType === BotType.incomingWebhook && !request.allowsWebhookBots) throw notForWebhookBots()
  return actor
}

function identityOf(user: User, realm: Realm, externalUrl: string): Identity {
  let identity = identities.get(user)
  if (identity?.actor.realm !== realm) {
    const addresses = [user.deliveryEmail, apiEmail(user, realm, externalUrl)].map((email) => email.toLowerCase())
    identity = { actor: { ...user, realm }, addresses }
    identities.set(user, identity)
  }
  return identity
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
  return { keyHash: hashSecret(key.trim()), email: email.trim().toLowerCase() }
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
