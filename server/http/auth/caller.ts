import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import { mapMaybePromise } from '#lib/runtime/map-maybe-promise.ts'
import { type Actor, personIdOf } from '#people/users/user.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { type Realm, subdomainOf } from '#realms/realm.ts'
import type { AuthMethod } from '../api-path.ts'
import type { Call, Services } from '../endpoint.ts'
import { limitOf, type RateVerdict } from '../limits/rate-limit.ts'
import { notLoggedIn } from '../refusals.ts'
import type { HttpRequest, ResponseHeaders } from '../wire/http-types.ts'
import { authenticate, credentialGeneration } from './authenticate.ts'
import { requireCsrfToken, requireSameSite } from './csrf.ts'
import { findSignedIn, renewWhenDue, type SessionServices, type SignedIn } from './session-actor.ts'

/** The services that authentication needs. */
export type CallerServices = Pick<
  Services,
  | 'db'
  | 'transaction'
  | 'settings'
  | 'clock'
  | 'log'
  | 'securityLines'
  | 'rateLimiter'
  | 'workBudget'
  | 'keyUses'
  | 'secret'
>

/** Returns the organization that the Host header names; null if there is none. */
export async function findAddressedRealm(
  { db, settings }: Pick<Services, 'db' | 'settings'>,
  { host }: Pick<HttpRequest, 'host'>,
): Promise<Realm | null> {
  return findRealmBySubdomain(db, subdomainOf(host, settings.EXTERNAL_URL, settings.REALM_HOSTS))
}

type Request = Pick<HttpRequest, 'method' | 'headers' | 'host'>

type Caller = Pick<Call, 'actor' | 'session' | 'reauthenticate'>

/**
 * Authenticates the caller by API key or session, and refuses requests beyond the rate limit. Adds the state of the
 * limit to `headers`.
 */
export function requireActor(
  services: CallerServices,
  request: Request,
  headers: ResponseHeaders,
  { authMethod, allowsWebhookBots = false }: { authMethod: AuthMethod; allowsWebhookBots?: boolean },
): Caller | Promise<Caller> {
  const found =
    authMethod === 'session'
      ? requireSession(services, request, headers)
      : requireKey(services, request, allowsWebhookBots)
  return mapMaybePromise(found, (caller) => {
    if (services.settings.RATE_LIMITING) limitRate(services, caller.actor, headers)
    return caller
  })
}

/** Returns the account whose credentials the request has; null if they are missing or not valid. */
export async function findCaller(
  services: CallerServices,
  { headers: { authorization, cookie }, host }: Request,
  authMethod: AuthMethod,
): Promise<Actor | null> {
  try {
    if (authMethod === 'session') return (await findSignedIn(services, { headers: { cookie }, host }))?.actor ?? null
    return (await authenticate(services.db, { authorization, host, allowsWebhookBots: true })).actor
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Returns the authentication method of a request for a file: a key if there is one, else a session. */
export const authMethodOf = ({ headers }: Pick<HttpRequest, 'headers'>): AuthMethod =>
  headers.authorization === undefined ? 'session' : 'key'

function requireKey(
  { db, keyUses }: CallerServices,
  { headers: { authorization }, host }: Request,
  allowsWebhookBots: boolean,
): Caller | Promise<Caller> {
  // A waiting request keeps only this in memory.
  const credentials = { authorization, host, allowsWebhookBots }
  const generation = credentialGeneration(db)
  return mapMaybePromise(authenticate(db, credentials), ({ actor, apiKeyId }) => {
    keyUses.recordUse(apiKeyId)
    return {
      actor,
      session: null,
      reauthenticate: () => credentialGeneration(db) === generation || authenticate(db, credentials),
    }
  })
}

async function requireSession(services: CallerServices, request: Request, headers: ResponseHeaders): Promise<Caller> {
  const { actor, session } = await requireSessionOf(services, request)
  await renewWhenDue(services, request, session, headers)
  // A waiting request keeps only this in memory.
  const credentials = { headers: { cookie: request.headers.cookie }, host: request.host }
  return { actor, session, reauthenticate: () => findSession(services, credentials) }
}

/** Returns the session of a request from the same site. Refuses all others. */
export async function requireSessionOf(
  services: SessionServices & Pick<Services, 'secret'>,
  request: Request,
): Promise<SignedIn> {
  requireSameSite(request)
  const found = await findSession(services, request)
  requireCsrfToken(services.secret, found.session, request.method, request.headers['x-csrftoken']?.toString())
  return found
}

async function findSession(services: SessionServices, request: Parameters<typeof findSignedIn>[1]): Promise<SignedIn> {
  const found = await findSignedIn(services, request)
  if (found === null) throw notLoggedIn()
  return found
}

type LimitServices = Pick<Services, 'rateLimiter' | 'workBudget' | 'settings' | 'clock'>

/** Counts a request of the user, and refuses it beyond their limits. */
export function limitRate(services: LimitServices, actor: Actor, headers: ResponseHeaders): void {
  requireWorkBudget(services, personIdOf(actor), headers)
  const { rateLimiter, settings, clock } = services
  const verdict = rateLimiter.take(actor.id, settings.RATE_LIMITING_RULES, clock.now())
  setLimits(headers, verdict)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Refuses a request of a user who has used up their requests. Does not count it. */
export function requireRate(services: LimitServices, { id }: Pick<Actor, 'id'>, headers: ResponseHeaders): void {
  const { rateLimiter, settings, clock } = services
  const verdict = rateLimiter.findRefusal(id, settings.RATE_LIMITING_RULES, clock.now())
  if (verdict === null || verdict.allowed) return
  setLimits(headers, verdict)
  throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Refuses a request of a user or network that has used up its work budget. The headers tell a user about it; they are
 * null for a network.
 */
export function requireWorkBudget(
  { workBudget, settings, clock }: LimitServices,
  key: number | string,
  headers: ResponseHeaders | null,
): void {
  const now = clock.now()
  const wait = workBudget.secondsToWait(key, settings.RATE_LIMITING_WORK, now)
  if (wait === 0) return
  if (headers !== null)
    setLimits(headers, { limit: limitOf(settings.RATE_LIMITING_RULES), remaining: 0, resetAt: Math.ceil(now + wait) })
  throw rateLimitHit({ retryAfter: wait })
}

function setLimits(
  headers: ResponseHeaders,
  { limit, remaining, resetAt }: Omit<RateVerdict, 'allowed' | 'retryAfter'>,
) {
  headers['x-ratelimit-limit'] = String(limit)
  headers['x-ratelimit-remaining'] = String(remaining)
  headers['x-ratelimit-reset'] = String(resetAt)
}
