import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import { type RefusalKind, refusal } from '#lib/errors/refusal.ts'
import { serverBusy, wireRefusals } from './wire/wire-refusals.ts'

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
export const wrongSubdomain = refusal('UNAUTHORIZED', 401, 'Account is not associated with this subdomain')
export const notForWebhookBots = refusal('UNAUTHORIZED', 401, 'This API is not available to incoming webhook bots.')

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

/** Refusals that depend on the caller and the request, not on the endpoint. */
export const commonRefusals = [
  missingArgument,
  badParameter,
  rateLimitHit,
  csrfFailed,
  ...credentialRefusals,
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
    ...(path.includes('{') ? [notFound] : []),
    methodNotAllowed,
    ...wireRefusals,
  ]
}
