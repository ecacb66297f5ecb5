import { findRealmBySubdomain } from '../realms/queries.ts'
import { type Realm, subdomainOf } from '../realms/realm.ts'
import { authenticate } from './authenticate.ts'
import type { Call, Services } from './endpoint.ts'
import { rateLimitHit } from './refusals.ts'
import type { Exchange } from './wire/exchange.ts'

/** Told of each call with a key; writes nothing on the path of the request. */
export type NoteKeyUse = (apiKeyId: number) => void

/** What knowing the caller takes. */
export type CallerServices = Pick<Services, 'db' | 'settings' | 'clock' | 'rateLimiter'> & { noteKeyUse: NoteKeyUse }

/** The organization that the Host header means; null when there is none. */
export async function findAddressedRealm(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  { host }: Pick<Exchange, 'host'>,
): Promise<Realm | null> {
  return findRealmBySubdomain(db, subdomainOf(host, settings.EXTERNAL_URL, settings.REALM_HOSTS))
}

/**
 * Whoever sends the request, by their API key; refused beyond their rate limit. Adds to `headers` what the answer says
 * of both.
 */
export async function requireActor(
  services: CallerServices,
  exchange: Pick<Exchange, 'headers' | 'host'>,
  headers: Record<string, string>,
  { allowsWebhookBots }: { allowsWebhookBots: boolean },
): Promise<Pick<Call, 'actor' | 'reauthenticate'>> {
  const { db, settings, noteKeyUse } = services
  const credentials = { authorization: exchange.headers.authorization, host: exchange.host, allowsWebhookBots }
  const { actor, apiKeyId } = await authenticate(db, credentials)
  headers['cache-control'] = 'private, no-store'
  noteKeyUse(apiKeyId)
  if (settings.RATE_LIMITING) limitRate(services, actor.id, headers)
  return { actor, reauthenticate: async () => void (await authenticate(db, credentials)) }
}

function limitRate(
  { rateLimiter, settings, clock }: CallerServices,
  userId: number,
  headers: Record<string, string>,
): void {
  const verdict = rateLimiter.take(userId, settings.RATE_LIMITING_RULES, clock.now())
  headers['x-ratelimit-limit'] = String(verdict.limit)
  headers['x-ratelimit-remaining'] = String(verdict.remaining)
  headers['x-ratelimit-reset'] = String(verdict.resetAt)
  if (verdict.allowed) return
  throw rateLimitHit({ retryAfter: verdict.retryAfter })
}
