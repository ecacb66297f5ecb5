import { mapMaybePromise } from '#lib/deferred.ts'
import { Refusal, rateLimitHit } from '#lib/errors.ts'
import type { Origin } from '#storage/storage.ts'
import { authMethodOf, type Caller, isScimPath, type RequestHead, readApiPath, type Sender } from './authentication.ts'
import { BODY_BYTES_PER_UNIT } from './budgets.ts'
import type { Services } from './endpoint.ts'
import type { AuthMethod, HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'
import { limitOf, networkOf, type RateRule, type RateVerdict } from './rate-limits.ts'
import { missingWebhookKey, NO_STORE, notFound, notLoggedIn, toRefusalOrLogin } from './refusals.ts'
import { redactedPath } from './wire/request.ts'

// The caller of a request and their limits. The order is part of the contract: the sender is found by headers alone,
// their limits are checked before the body is read, and the call is counted once it is authenticated. Bots use the
// limits of their owners. Each refusal is logged as a security event, without input.

/** The services that find a caller, and that limit, charge and log their requests. */
export type CallerServices = Pick<
  Services,
  'authentication' | 'settings' | 'clock' | 'log' | 'meter' | 'securityLines' | 'rateLimiter' | 'workBudget'
>

/**
 * Authenticates the caller by API key or session, and refuses requests beyond the rate limit. Adds the state of the
 * limit to `headers`.
 */
export function requireActor(
  services: CallerServices,
  request: RequestHead,
  headers: ResponseHeaders,
  { authMethod, allowsWebhookBots = false }: { authMethod: AuthMethod; allowsWebhookBots?: boolean },
): Caller | Promise<Caller> {
  const found = services.authentication.requireCaller(request, authMethod, headers, { allowsWebhookBots })
  return mapMaybePromise(found, (caller) => {
    if (services.settings.RATE_LIMITING) limitRate(services, caller.sender, headers)
    return caller
  })
}

/**
 * Returns the incoming-webhook bot whose API key is the parameter `api_key`, or in the Authorization header if there is
 * no parameter: other services can often only be given a URL. Refuses requests beyond the rate limit.
 */
export async function requireWebhookBot(
  services: CallerServices,
  request: HttpRequest,
  headers: ResponseHeaders,
  authMethod: AuthMethod,
): Promise<Caller> {
  if (authMethod === 'session') throw notFound()
  const key = request.query.get('api_key') ?? request.body.get('api_key')
  if (key === undefined && request.headers.authorization === undefined) throw missingWebhookKey()
  const caller = await services.authentication.requireWebhookBot(request, key)
  if (services.settings.RATE_LIMITING) limitRate(services, caller.sender, headers)
  return caller
}

/** The number of requests without an account from one network, in a minute. */
const SPECTATOR_RULES: readonly RateRule[] = [[60, 200]]

/** All spectators together, in the limits of requests at a time and of work. */
const ALL_SPECTATORS = { id: 0, work: 'spectators' }

/**
 * Handles a request without an account within the limits of its network, which are checked before any work. Only a few
 * such requests are handled at a time, from all networks together. Requests of users come first as soon as spectators
 * have caused a lot of work. `answer` returns the units of work as well.
 */
export async function withinSpectatorLimits<Answer>(
  services: LimitServices & Pick<Services, 'inFlight'>,
  remoteAddress: string,
  answer: () => Promise<{ answer: Answer; units: number }>,
): Promise<Answer> {
  const { rateLimiter, workBudget, inFlight, settings, clock } = services
  if (!settings.RATE_LIMITING) return (await answer()).answer
  const key = `spectators from ${networkOf(remoteAddress)}`
  requireWorkBudget(services, key, null)
  const verdict = rateLimiter.take(key, SPECTATOR_RULES, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })

  const perMinute = settings.RATE_LIMITING_WORK
  const place = inFlight.enter(ALL_SPECTATORS.id, workBudget.isBusy(ALL_SPECTATORS.work, perMinute, clock.now()))
  if (place !== null) await place
  let units = 1
  try {
    const done = await answer()
    units = done.units
    return done.answer
  } finally {
    inFlight.leave(ALL_SPECTATORS.id)
    for (const each of [key, ALL_SPECTATORS.work]) workBudget.charge(each, units, perMinute, clock.now())
  }
}

type LimitServices = Pick<Services, 'rateLimiter' | 'workBudget' | 'settings' | 'clock'>

/** Counts a request of the user, and refuses it beyond their limits. */
function limitRate(services: LimitServices, { id, personId }: Sender, headers: ResponseHeaders): void {
  requireWorkBudget(services, personId, headers)
  const { rateLimiter, settings, clock } = services
  const verdict = rateLimiter.take(id, settings.RATE_LIMITING_RULES, clock.now())
  setLimits(headers, verdict)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Refuses a request of a user who has used up their requests. Does not count it. */
function requireRate(services: LimitServices, { id }: Sender, headers: ResponseHeaders): void {
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

/** The head of a request, before its body has been read. */
type Head = RequestHead & Pick<HttpRequest, 'path' | 'query' | 'remoteAddress'>

/**
 * The sender of a body. The key of its limits is the id of the user, with their bots, or the name of the network if there
 * are no valid credentials, or of the directory of an organization. `refusal` says why a request of the API or of a
 * directory has no valid credentials; it is null for others.
 */
export type BodySender =
  | { readonly key: number; readonly sender: Sender }
  | { readonly key: string; readonly sender: null; readonly refusal: Refusal | null }

/** Returns the sender of a body by the headers of its request. Counts nothing, and does not extend the session. */
export function findBodySender(services: CallerServices, head: Head): BodySender | Promise<BodySender> {
  const apiPath = readApiPath(head.path)
  if (apiPath === null) return isScimPath(head.path) ? findDirectorySender(services, head) : anonymous(head, null)
  try {
    // Incoming webhooks have their key in the query. Of other requests, the parameter means nothing.
    const isKeyInQuery = apiPath.authMethod === 'key' && head.headers.authorization === undefined
    const key = isKeyInQuery ? head.query.get('api_key') : undefined
    const found =
      key === undefined
        ? services.authentication.requireSender(head, apiPath.authMethod)
        : services.authentication.requireKeyHolder(head, key)
    if (found instanceof Promise) return found.then(known, (error) => unknown(head, error))
    return known(found)
  } catch (error) {
    return unknown(head, error)
  }
}

async function findDirectorySender(services: CallerServices, head: Head): Promise<BodySender> {
  try {
    const { id } = await services.authentication.requireDirectory(head)
    return { key: directoryKey(id), sender: null, refusal: null }
  } catch (error) {
    return unknown(head, error)
  }
}

/** Returns the name under which the directory of an organization has its limits, apart from those of its users. */
export const directoryKey = (realmId: number): string => `directory of ${realmId}`

const known = (sender: Sender): BodySender => ({ key: sender.personId, sender })

function unknown(head: Head, error: unknown): BodySender {
  if (error instanceof Refusal) return anonymous(head, error)
  throw error
}

const anonymous = ({ remoteAddress }: Head, refusal: Refusal | null): BodySender => ({
  key: `bodies from ${networkOf(remoteAddress)}`,
  sender: null,
  refusal,
})

/**
 * Returns whether the sender has recently caused so much work that the requests of others come first. Returns false if
 * finding the sender needs a query.
 */
export function isBusySender(services: CallerServices, head: Head): boolean {
  const { settings, workBudget, clock } = services
  if (!settings.RATE_LIMITING) return false
  const isSession = readApiPath(head.path)?.authMethod === 'session'
  const key = isSession ? services.authentication.findKnownSessionUser(head) : findKey(services, head)
  return key !== null && workBudget.isBusy(key, settings.RATE_LIMITING_WORK, clock.now())
}

function findKey(services: CallerServices, head: Head): BodySender['key'] | null {
  const sender = findBodySender(services, head)
  if (!(sender instanceof Promise)) return sender.key
  sender.catch(() => {})
  return null
}

/**
 * Refuses a request whose sender has used up their requests or their work, before its body is read. Does not count the
 * request.
 */
export function requireWithinLimits(
  services: CallerServices,
  { key, sender }: BodySender,
  headers: ResponseHeaders,
): void {
  if (!services.settings.RATE_LIMITING) return
  requireWorkBudget(services, key, sender === null ? null : headers)
  if (sender !== null) requireRate(services, sender, headers)
}

/** Charges the sender for bytes of a body, whether or not the request succeeds. */
export function chargeBody({ settings, workBudget, clock }: CallerServices, { key }: BodySender, bytes: number): void {
  if (!settings.RATE_LIMITING) return
  workBudget.charge(key, bytes / BODY_BYTES_PER_UNIT, settings.RATE_LIMITING_WORK, clock.now())
}

/**
 * Counts a request whose body is refused, such as malformed JSON, in the limits of its sender. Refuses it like any other
 * request if they are used up.
 */
export async function countRefusedBody(services: CallerServices, head: Head, headers: ResponseHeaders): Promise<void> {
  const { settings, workBudget, clock } = services
  if (!settings.RATE_LIMITING) return
  const { key, sender } = await findBodySender(services, head)
  if (sender === null) requireWorkBudget(services, key, null)
  else limitRate(services, sender, headers)
  workBudget.charge(key, 1, settings.RATE_LIMITING_WORK, clock.now())
}

/** Codes of refusals that well-behaved clients get every day: event queues expire. */
const ORDINARY: ReadonlySet<string> = new Set(['BAD_EVENT_QUEUE_ID'])

const MAX_PATH_LENGTH = 200

/**
 * Logs a refused request as a security event. The reason is the text of the refusal before its parameters are filled
 * in, so that it contains no input.
 */
export async function logRefusal(services: CallerServices, request: HttpRequest, { kind }: Refusal): Promise<void> {
  const { log, meter, securityLines } = services
  const { method, path, headers, remoteAddress } = request
  if (kind.status < 300) return
  meter?.requestRefused(kind.code)
  if (ORDINARY.has(kind.code) || (kind === notLoggedIn && headers.authorization === undefined)) return
  const event = kind.status === 429 ? 'limit_reached' : 'request_refused'
  const leftOut = securityLines.take(event, networkOf(remoteAddress))
  if (leftOut === null) return
  const authMethod = readApiPath(path)?.authMethod ?? authMethodOf(request)
  // If the database fails, the refusal is still sent.
  const sender = await services.authentication.findSender(request, authMethod).catch(() => null)
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

/** Returns the origin of transactions for a request outside the API. */
export const originOf = (
  { log }: Pick<Services, 'log'>,
  request: Pick<HttpRequest, 'body' | 'query' | 'headers' | 'remoteAddress'>,
  actorId: number | null,
): Origin => ({
  by: 'request',
  actorId,
  remoteAddress: request.remoteAddress,
  client: clientName(request, authMethodOf(request)),
  userAgent: request.headers['user-agent'] ?? '',
  log,
})

/** The maximum length of the name of a calling program, in characters. */
const MAX_CLIENT_LENGTH = 30

/** The client name of all browsers. */
export const BROWSER = 'website'

/**
 * Returns the name of the calling program, at most 30 characters: the parameter `client`, or the product of its
 * User-Agent.
 */
export function clientName(
  { body, query, headers }: Pick<HttpRequest, 'body' | 'query' | 'headers'>,
  authMethod: AuthMethod,
): string {
  const named = body.get('client') ?? query.get('client')
  if (named !== undefined && named !== '') return firstCharacters(named)
  if (authMethod === 'session') return BROWSER
  const agent = headers['user-agent']
  return agent === undefined ? 'Unspecified' : productName(agent)
}

const cachedNames = new Map<string, string>()

function productName(agent: string): string {
  const known = cachedNames.get(agent)
  if (known !== undefined) return known
  const name = firstCharacters(/^[^/0-9(]*/.exec(agent)?.[0].trim() ?? '') || 'Unspecified'
  if (cachedNames.size >= 1000) cachedNames.clear()
  cachedNames.set(agent, name)
  return name
}

const firstCharacters = (text: string) => Array.from(text).slice(0, MAX_CLIENT_LENGTH).join('')
