import { z } from 'zod'
import type { RefusalKind } from '#lib/errors/refusal.ts'
import type { Endpoint } from '../endpoint.ts'
import { sharedRefusals } from '../refusals.ts'
import { type JsonSchema, toSchema } from './json-schema.ts'

/** The names of the shared refusals in the document, by status. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'RequestTimeout',
  413: 'PayloadTooLarge',
  414: 'UriTooLong',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalServerError',
  503: 'ServiceUnavailable',
}

/** Returns the responses of an operation: one for success, and one for each status of its refusals. */
export function toResponses(endpoint: Endpoint): JsonSchema {
  const shared = Map.groupBy(sharedRefusals(endpoint), ({ status }) => status)
  const own = Map.groupBy(endpoint.refuses, ({ status }) => status)
  const statuses = [...new Set([...shared.keys(), ...own.keys()])].toSorted((first, other) => first - other)
  return {
    200: { description: 'Success.', content: { 'application/json': { schema: toSuccessSchema(endpoint) } } },
    ...Object.fromEntries(
      statuses.map((status) => [status, toResponse(own.get(status) ?? [], shared.get(status) ?? [])]),
    ),
    default: { $ref: '#/components/responses/Refused' },
  }
}

/** A status that has only shared refusals is described once for all operations. */
function toResponse(own: readonly RefusalKind[], shared: readonly RefusalKind[]): JsonSchema {
  const name = NAMES[shared[0]?.status ?? 0]
  if (own.length > 0 || name === undefined) return toRefusal(own, shared)
  return { $ref: `#/components/responses/${name}${isForEverybody(shared) ? 'ForEverybody' : ''}` }
}

/** Operations without credentials share fewer refusals with the status 400. */
const isForEverybody = (shared: readonly RefusalKind[]) =>
  shared[0]?.status === 400 && shared.length === anonymousBadRequests.length

const anonymousBadRequests = sharedRefusals({ who: 'anyone', path: '' }).filter(({ status }) => status === 400)

/** Returns the shared refusals, to which operations refer, and their schemas. */
export function sharedRefusalComponents(): { responses: JsonSchema; schemas: JsonSchema } {
  const kinds = Map.groupBy(sharedRefusals({ who: 'user', path: '/{id}' }), ({ status }) => status)
  const named: [name: string, shared: readonly RefusalKind[]][] = [
    ...Array.from(kinds, ([status, shared]): [string, RefusalKind[]] => [NAMES[status] ?? String(status), shared]),
    ['BadRequestForEverybody', anonymousBadRequests],
  ]
  const toReference = (name: string, description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  return {
    responses: {
      ...Object.fromEntries(named.map(([name, shared]) => [name, toReference(name, listOf(shared))])),
      Refused: toReference('Refused', 'Any other error.'),
    },
    schemas: {
      ...Object.fromEntries(named.map(([name, shared]) => [name, toRefusedSchema(shared)])),
      Refused: refusedSchema,
    },
  }
}

/** The schema of a refusal that no operation declares. */
const refusedSchema = {
  type: 'object',
  properties: { result: { type: 'string', const: 'error' }, msg: { type: 'string' }, code: { type: 'string' } },
  required: ['result', 'msg', 'code'],
}

/** Describes the endpoint's own refusals, or the shared refusals if it has none of its own. */
function toRefusal(own: readonly RefusalKind[], shared: readonly RefusalKind[]): JsonSchema {
  const schema = toRefusedSchema([...own, ...shared])
  return { description: listOf(own.length > 0 ? own : shared), content: { 'application/json': { schema } } }
}

const listOf = (kinds: readonly RefusalKind[]) =>
  `Errors:\n\n${kinds.map(({ code, text, field }) => `- \`${code}\`: ${text}${aboutField(field)}`).join('\n')}`

/** Names the parameter of a refusal, unless it differs from one request to another. */
const aboutField = (field: string | null) => (field === null || field.startsWith('{') ? '' : ` (\`${field}\`)`)

function toRefusedSchema(kinds: readonly RefusalKind[]): JsonSchema {
  const codes = [...new Set(kinds.map(({ code }) => code))]
  return { ...refusedSchema, properties: { ...refusedSchema.properties, code: { type: 'string', enum: codes } } }
}

function toSuccessSchema(endpoint: Endpoint): JsonSchema {
  return toSchema(
    z.strictObject({
      result: z.literal('success'),
      msg: z.literal(''),
      ...endpoint.returns,
      ignored_parameters_unsupported: z.array(z.string()).optional().describe('Parameters that the endpoint ignored.'),
    }),
    'output',
  )
}
