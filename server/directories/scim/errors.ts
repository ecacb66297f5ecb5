import { emailTaken } from '#accounts/change-email.ts'
import { nameNotUnique } from '#accounts/change-users.ts'
import { groupNameRefusals } from '#groups/group.ts'
import { groupInUse } from '#groups/update-group.ts'
import type { BufferedResponse, ResponseHeaders } from '#http/http-types.ts'
import { type Refusal, type RefusalKind, refusal } from '#lib/errors.ts'
import { insufficientPermission, mustBeAdministrator, mustBeOwner } from '#people/access.ts'

// The errors of SCIM (RFC 7644, section 3.12). Refusals of operations on accounts and groups are sent in the same shape.

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'

export const SCIM_TYPE = 'application/scim+json'

/** Declares a refusal with the type of error that SCIM has for it. */
const scimRefusal = <const Text extends string>(scimType: string, text: Text) =>
  refusal(scimType, 400, text, { extras: () => ({ scimType }) })

export const invalidSyntax = scimRefusal('invalidSyntax', 'The body is not valid: {complaint}.')
export const invalidFilter = scimRefusal('invalidFilter', 'The filter or path is not valid: {complaint}.')
export const invalidValue = scimRefusal('invalidValue', 'The value of “{attribute}” is missing or not valid.')
export const invalidPath = scimRefusal('invalidPath', 'There is no attribute “{path}” that can be changed.')
export const noTarget = scimRefusal('noTarget', 'Nothing matches the path “{path}”.')
export const readOnly = scimRefusal('mutability', 'The attribute “{path}” cannot be changed.')
export const tooMany = scimRefusal(
  'tooMany',
  'The request needs too many comparisons. Send fewer operations at a time, or a filter with fewer terms.',
)

export const noSuchResource = refusal('NOT_FOUND', 404, 'There is no resource with this id.')
export const noSuchPath = refusal('NOT_FOUND', 404, 'There is nothing at this address.')
export const systemGroup = refusal(
  'FORBIDDEN',
  403,
  'This group consists of all accounts with a role. It cannot be changed.',
)
export const methodNotAllowed = refusal('METHOD_NOT_ALLOWED', 405, 'This method is not supported here.')
export const wrongMediaType = refusal(
  'WRONG_MEDIA_TYPE',
  415,
  'The body must be application/scim+json or application/json.',
)
export const notSupported = refusal('NOT_IMPLEMENTED', 501, 'This server does not support this part of SCIM.')

const CONFLICTS: ReadonlySet<RefusalKind> = new Set([emailTaken, nameNotUnique, groupInUse, groupNameRefusals.at(-1)!])
const FORBIDDEN: ReadonlySet<RefusalKind> = new Set([mustBeOwner, mustBeAdministrator, insufficientPermission])

/** Returns the response for a refusal. */
export function scimErrorResponse(refused: Refusal, headers: ResponseHeaders): BufferedResponse {
  const { kind, message, extras } = refused
  const isConflict = CONFLICTS.has(kind)
  const status = isConflict ? 409 : FORBIDDEN.has(kind) ? 403 : kind.status
  const scimType = isConflict ? 'uniqueness' : status === 400 ? (extras['scimType'] ?? 'invalidValue') : undefined
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="parley"'
  if (extras['retry-after'] !== undefined) headers['retry-after'] = String(Math.ceil(Number(extras['retry-after'])))
  const body = {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  }
  return { status, headers: { ...headers, 'content-type': SCIM_TYPE }, body: JSON.stringify(body) }
}
