import type { KeyObject } from 'node:crypto'
import { mapMaybePromise } from '#lib/deferred.ts'
import { Refusal, rateLimitHit } from '#lib/errors.ts'
import { equalSecrets, hashSecret } from '#lib/secrets.ts'
import { renewSession } from '#people/logins.ts'
import {
  csrfToken,
  findSessionByHash,
  isDueForRenewal,
  readSessionToken,
  type Session,
  sessionCookie,
} from '#people/sessions.ts'
import { findUser } from '#people/user-queries.ts'
import { type Actor, personIdOf } from '#people/users.ts'
import { findRealm, findRealmBySubdomain } from '#realms/queries.ts'
import { type Realm, subdomainOf } from '#realms/realm.ts'
import { type AuthMethod, readApiPath } from './auth/api-path.ts'
import { authenticate, credentialGeneration } from './auth/authenticate.ts'
import type { Call, Services } from './endpoint.ts'
import type { HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import { limitOf, networkOf, type RateVerdict } from './rate-limits.ts'
import { csrfFailed, NO_STORE, notLoggedIn, toRefusalOrLogin } from './refusals.ts'
import { redactedPath } from './wire/request.ts'

const isSafe = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/**
 * Refuses requests that a page of another site makes a browser send. Browsers name the origin of a request in headers
 * that scripts cannot change. A request without these headers does not come from a browser.
 */
export function requireSameSite({ method, headers, host }: Pick<HttpRequest, 'method' | 'headers' | 'host'>): void {
  if (isSafe(method)) return
  const { 'sec-fetch-site': site, origin } = headers
  const isResponsible = site === undefined ? isFrom(origin, host) : site === 'same-origin' || site === 'none'
  if (!isResponsible) throw csrfFailed({ reason: 'The request comes from another site.' })
}

/** Compares only the host, because the scheme differs behind a proxy that terminates TLS. */
const isFrom = (origin: string | undefined, host: string) =>
  origin === undefined || origin.replace(/^https?:\/\//, '') === host

/** Refuses an unsafe session request that lacks the session's CSRF token or has a wrong one. */
export function requireCsrfToken(secret: KeyObject, session: Session, method: string, given: string | undefined): void {
  if (isSafe(method)) return
  if (given === undefined) throw csrfFailed({ reason: 'The CSRF token is missing.' })
  if (!equalSecrets(given, csrfToken(secret, session))) throw csrfFailed({ reason: 'The CSRF token is not valid.' })
}

type SessionServices = Pick<Services, 'db' | 'transaction' | 'settings' | 'clock'>

/** An account with its session. */
export type SignedIn = { actor: Actor; session: Session }

/**
 * Returns the account with which the browser is logged in to the addressed organization; null if it is not logged in. A
 * cached session costs no query.
 */
export async function findSignedIn(
  { db, settings, clock }: SessionServices,
  request: { headers: { cookie?: string | undefined }; host: string },
): Promise<SignedIn | null> {
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

/** Extends a session that is in use, and sets its cookie again. */
export async function renewWhenDue(
  { transaction, settings, clock }: SessionServices,
  request: Pick<HttpRequest, 'headers'>,
  session: Session,
  headers: ResponseHeaders,
): Promise<void> {
  if (!isDueForRenewal(session, clock.now())) return
  const token = readSessionToken(settings, request.headers.cookie)
  if (token === null) return
  await transaction((tx) => renewSession(tx, session))
  headers['set-cookie'] = sessionCookie(settings, token, session)
}

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
async function findCaller(
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

/** Codes of refusals that well-behaved clients get every day: event queues expire. */
const ORDINARY: ReadonlySet<string> = new Set(['BAD_EVENT_QUEUE_ID'])

const MAX_PATH_LENGTH = 200

/**
 * Logs a refused request as a security event. The reason is the text of the refusal before its parameters are filled
 * in, so that it contains no input.
 */
export async function logRefusal(services: CallerServices, request: HttpRequest, { kind }: Refusal): Promise<void> {
  const { log, securityLines } = services
  const { method, path, headers, remoteAddress } = request
  if (ORDINARY.has(kind.code) || (kind === notLoggedIn && headers.authorization === undefined)) return
  const event = kind.status === 429 ? 'limit_reached' : 'request_refused'
  const leftOut = securityLines.take(event, networkOf(remoteAddress))
  if (leftOut === null) return
  const authMethod = readApiPath(path)?.authMethod ?? authMethodOf(request)
  // If the database fails, the refusal is still sent.
  const sender = await findCaller(services, request, authMethod).catch(() => null)
  log.security({
    event,
    actor_id: sender?.id ?? null,
    target_id: null,
    realm_id: sender?.realmId ?? null,
    address: remoteAddress,
    reason: kind.text,
    method,
    path: redactedPath(path).slice(0, MAX_PATH_LENGTH),
    ...(leftOut > 0 && { left_out: leftOut }),
  })
}

/** Responds to a request outside the API, with refusals in the envelope of the API. */
export async function withApiRefusals(
  services: CallerServices,
  request: HttpRequest,
  respond: (headers: ResponseHeaders) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const headers: ResponseHeaders = { ...NO_STORE }
  try {
    return await respond(headers)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await logRefusal(services, request, error)
    return toRefusalOrLogin(request, error, headers, authMethodOf(request))
  }
}
