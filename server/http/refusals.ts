import { Refusal, type RefusalKind, rateLimitHit, refusal } from '#lib/errors.ts'
import type { AuthMethod, BufferedResponse, HttpRequest, HttpResponse, ResponseHeaders } from './http-types.ts'

// The refusals that do not depend on an endpoint, and the response for any refusal: its code and text in the envelope
// of the API. The API reference lists these refusals once. An endpoint declares all others that it can return; the
// tests fail on one that is neither here nor declared.

/** Returns the result or the refusal, for a form that is shown again with the error. */
export async function catchRefusal<Result>(work: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/** The maximum length of a request target (path and query), in bytes. */
export const MAX_TARGET = 16 * 1024

/** Refusals before any endpoint is called. */
export const malformedRequest = refusal('BAD_REQUEST', 400, 'The request is not well-formed HTTP')
export const malformedMultipart = refusal('BAD_REQUEST', 400, 'The multipart body is malformed: {complaint}')
export const malformedJson = refusal('BAD_REQUEST', 400, 'The JSON body is malformed: {complaint}')
export const tooManyFields = refusal('BAD_REQUEST', 400, 'Too many parameters (limit: {limit})')
export const requestTimeout = refusal('REQUEST_TIMEOUT', 408, 'The request did not arrive in time')
export const bodyTooLarge = refusal('PAYLOAD_TOO_LARGE', 413, 'The request body is too large (limit: {limit} bytes)')
export const targetTooLong = refusal('URI_TOO_LONG', 414, 'The request target is too long (limit: {limit} bytes)')
export const tooManyConnections = refusal(
  'TOO_MANY_CONNECTIONS',
  429,
  'Too many connections from your address (limit: {limit})',
)
export const httpsNeeded = refusal('HTTPS_NEEDED', 403, 'Use the https address of this server')
export const headersTooLarge = refusal('HEADERS_TOO_LARGE', 431, 'The request headers are too large')

/** Seconds after which a client may retry: the longest time that a request waits in a busy server. */
const RETRY_WHEN_BUSY = 2

/** Refuses requests when more are waiting than the server can handle in time. */
export const serverBusy = refusal('SERVICE_UNAVAILABLE', 503, 'The server is busy. Try again later.', {
  extras: () => ({ 'retry-after': RETRY_WHEN_BUSY }),
})

/** Returns the response of a busy server. */
export function busyResponse(headers: ResponseHeaders): BufferedResponse {
  return wireRefusalResponse(serverBusy(), { ...headers, 'retry-after': String(RETRY_WHEN_BUSY) })
}

/** Refuses requests while the server has no connection to its database. */
export const databaseUnavailable = refusal(
  'SERVICE_UNAVAILABLE',
  503,
  'The server cannot reach its database. Try again later.',
)

/** Refuses requests for an organization that is being moved to another database. */
export const organizationMoving = refusal(
  'SERVICE_UNAVAILABLE',
  503,
  'This organization is being moved to another database. Try again in a few seconds.',
)

/** Refuses writes while the disk is full. */
export const diskFull = refusal('SERVICE_UNAVAILABLE', 503, "The server's disk is full")

/** Refuses requests that need files while their store is away. */
export const filesUnavailable = refusal(
  'SERVICE_UNAVAILABLE',
  503,
  'The server cannot reach its file storage. Try again in a minute.',
)

const internalError = refusal('INTERNAL_SERVER_ERROR', 500, 'Internal server error', {
  extras: ({ requestId }: { requestId: string }) => ({ request_id: requestId }),
})

/** The refusals that any request may get before its endpoint is called, or when the server fails. */
const wireRefusals = [
  malformedRequest,
  malformedMultipart,
  malformedJson,
  tooManyFields,
  requestTimeout,
  bodyTooLarge,
  targetTooLong,
  tooManyConnections,
  headersTooLarge,
  internalError,
  serverBusy,
  databaseUnavailable,
  organizationMoving,
  diskFull,
  filesUnavailable,
]

/** Returns a refusal in the envelope of the API. */
export function wireRefusalResponse(
  { kind, message, extras }: Refusal,
  headers: ResponseHeaders = {},
): BufferedResponse & { body: string } {
  const body = `${JSON.stringify({ result: 'error', msg: message, ...extras, code: kind.code })}\n`
  return { status: kind.status, headers, body }
}

/** Returns the response to a request that crashed. It contains only the id under which the log has the cause. */
export function crashResponse(requestId: string, headers: ResponseHeaders = {}): BufferedResponse {
  return wireRefusalResponse(internalError({ requestId }), headers)
}

/** Refusals of any endpoint. The API reference documents them once. */
export const missingArgument = refusal('REQUEST_VARIABLE_MISSING', 400, "Missing '{name}' argument", {
  field: '{name}',
  extras: ({ name }) => ({ var_name: name }),
})
export const badParameter = refusal('BAD_REQUEST', 400, '{complaint}', { field: '{name}' })
export const notFound = refusal('NOT_FOUND', 404, 'Not Found')
export const methodNotAllowed = refusal('METHOD_NOT_ALLOWED', 405, 'Method Not Allowed', {
  extras: ({ methods }: { methods: readonly string[] }) => ({ allowed_methods: methods }),
})

export const notLoggedIn = refusal('UNAUTHORIZED', 401, 'Not logged in: API authentication or user session required')
export const csrfFailed = refusal('CSRF_FAILED', 403, 'CSRF error: {reason}')
export const notBasic = refusal('BAD_REQUEST', 400, 'This endpoint requires HTTP basic authentication.')
export const badAuthorizationHeader = refusal('UNAUTHORIZED', 401, 'Invalid authorization header for basic auth')
export const malformedKey = refusal('UNAUTHORIZED', 401, 'Malformed API key')
export const invalidKey = refusal('UNAUTHORIZED', 401, 'Invalid API key')
export const realmDeactivated = refusal('UNAUTHORIZED', 401, 'This organization has been deactivated')
export const accountDeactivated = refusal('UNAUTHORIZED', 401, 'Account is deactivated')
export const invalidDirectoryToken = refusal('UNAUTHORIZED', 401, 'The bearer token is missing or not valid')
export const wrongSubdomain = refusal('UNAUTHORIZED', 401, 'Account is not associated with this subdomain')
export const notForWebhookBots = refusal('UNAUTHORIZED', 401, 'This API is not available to incoming webhook bots.')

export const missingWebhookKey = refusal('REQUEST_VARIABLE_MISSING', 400, "Missing 'api_key' argument", {
  field: 'api_key',
  extras: () => ({ var_name: 'api_key' }),
})
export const malformedWebhookKey = refusal('INVALID_API_KEY', 401, 'Malformed API key')
export const invalidWebhookKey = refusal('INVALID_API_KEY', 401, 'Invalid API key')
export const onlyForWebhookBots = refusal('UNAUTHORIZED', 401, 'This API is only available to incoming webhook bots.')

export const notForBots = refusal('BAD_REQUEST', 400, 'This endpoint does not accept bot requests.')
export const notForGuests = refusal('BAD_REQUEST', 400, 'Not allowed for guest users')

const credentialRefusals = [
  notLoggedIn,
  notBasic,
  badAuthorizationHeader,
  malformedKey,
  invalidKey,
  realmDeactivated,
  accountDeactivated,
  wrongSubdomain,
  notForWebhookBots,
  notForBots,
  notForGuests,
]

export const webhookCredentialRefusals = [missingWebhookKey, malformedWebhookKey, invalidWebhookKey, onlyForWebhookBots]

/** Refusals that depend on the caller and the request, not on the endpoint. */
export const commonRefusals = [
  missingArgument,
  badParameter,
  rateLimitHit,
  csrfFailed,
  ...credentialRefusals,
  ...webhookCredentialRefusals,
  serverBusy,
]

/**
 * Returns the refusals that a request to the endpoint's path can get in addition to the refusals that the endpoint
 * declares.
 */
export function sharedRefusals({ who, path }: { who: string; path: string }): readonly RefusalKind[] {
  return [
    missingArgument,
    badParameter,
    rateLimitHit,
    csrfFailed,
    ...(who === 'anyone' ? [] : credentialRefusals),
    ...(who === 'webhook bot' ? webhookCredentialRefusals : []),
    ...(path.includes('{') ? [notFound] : []),
    methodNotAllowed,
    ...wireRefusals,
  ]
}

/** Headers of responses that depend on the caller. */
export const NO_STORE = { 'cache-control': 'private, no-store' }

/**
 * The `WWW-Authenticate` header of a 401. Sessions have their own scheme, because browsers show a login dialog for
 * `Basic`.
 */
const CHALLENGES: Readonly<Record<AuthMethod, string>> = {
  key: 'Basic realm="parley"',
  session: 'Session realm="parley"',
}

/**
 * Returns the response for a refusal. The web client, which has a session, gets the field in a header, because the
 * bodies of the Zulip API name it only for some codes.
 */
export function toRefusalResponse(
  refused: Refusal,
  headers: ResponseHeaders,
  authMethod: AuthMethod = 'key',
): BufferedResponse {
  const { status, code } = refused.kind
  if (status === 401) headers['www-authenticate'] = CHALLENGES[authMethod]
  if (refused.field !== null && authMethod === 'session') headers['refused-field'] = refused.field
  const retryAfter = refused.extras['retry-after']
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  // A refusal with a successful status means that the request was ignored.
  const result = status < 300 ? 'success' : 'error'
  const body = `${JSON.stringify({ result, msg: refused.message, ...refused.extras, code })}\n`
  return { status, headers, body }
}

/** Like `toRefusalResponse`, but redirects a browser without a session to the login page. */
export function toRefusalOrLogin(
  { path, headers: asked }: Pick<HttpRequest, 'path' | 'headers'>,
  refused: Refusal,
  headers: ResponseHeaders,
  authMethod: AuthMethod,
): HttpResponse {
  if (refused.kind !== notLoggedIn || !asked.accept?.includes('text/html'))
    return toRefusalResponse(refused, headers, authMethod)
  const next = encodeURIComponent(path).replaceAll('%2F', '/')
  return { status: 302, headers: { location: `/login/?next=${next}` }, body: '' }
}

/** The refusals that can occur while uploaded files are being received. */
export const incomingFileRefusals = [malformedRequest, malformedMultipart, tooManyFields, requestTimeout, bodyTooLarge]
