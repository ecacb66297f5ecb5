import { z } from 'zod'
import type { RefusalKind } from '../base/refusal.ts'
import type { Endpoint } from './endpoint.ts'
import type { ParamTypes } from './params.ts'
import { commonRefusals } from './refusals.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of the endpoints, `url` being where the organization is reached. */
export function openApiDocument(endpoints: readonly Endpoint[], url: string): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {}
    ;(paths[endpoint.path] as Record<string, Json>)[endpoint.method.toLowerCase()] = toOperation(endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley REST API',
      version: '1.0.0',
      description:
        'Parameters are sent as a form or in the query; all but text are JSON. Answers are JSON objects with `result` ' +
        'and `msg`. What any endpoint may refuse, for its parameters or for who asks, is described under `Refused`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${url}/api/v1` }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'basic', description: 'The API e-mail address, and an API key as password.' },
      },
      schemas: { Refused: { ...envelope, anyOf: toVariants(commonRefusals) } },
      responses: { Refused: toRefusedResponse('For the parameters, or for who asks.', commonRefusals, COMMON) },
    },
  }
}

function toOperation(endpoint: Endpoint): Json {
  const isRead = endpoint.method === 'GET'
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(endpoint.pathTypes[name] ?? z.int().min(0)),
  }))
  const statuses = Map.groupBy(endpoint.refuses, (kind) => kind.status)
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description !== '' && { description: endpoint.description }),
    ...(endpoint.who === 'anyone' && { security: [] }),
    parameters: [...inPath, ...(isRead ? toQueryParameters(endpoint.params) : [])],
    ...(!isRead && { requestBody: toRequestBody(endpoint) }),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: toAnswerSchema(endpoint) } } },
      ...Object.fromEntries(Array.from(statuses, ([status, kinds]) => [status, toOwnRefusals(kinds)])),
      default: { $ref: '#/components/responses/Refused' },
    },
  }
}

const operationId = ({ method, path }: Endpoint) =>
  `${method.toLowerCase()}${path.replace(/\{(\w+)\}/g, 'by-$1').replace(/[/_-](\w)/g, (_, letter) => letter.toUpperCase())}`

function toQueryParameters(params: ParamTypes): Json[] {
  return Object.entries(params).map(([name, type]) => {
    const { description, ...schema } = toSchema(type)
    const isText = schema['type'] === 'string'
    return {
      name,
      in: 'query',
      required: isRequired(type),
      ...(description !== undefined && { description }),
      ...(isText ? { schema } : { content: { 'application/json': { schema } } }),
    }
  })
}

function toRequestBody({ params, maxUploadBytes, readsFiles }: Endpoint): Json {
  const takesFiles = maxUploadBytes !== null || readsFiles
  const file = !takesFiles ? {} : { file: { type: 'string', contentMediaType: 'application/octet-stream' } }
  const properties = Object.fromEntries(Object.entries(params).map(([name, type]) => [name, toSchema(type)]))
  const required = Object.entries(params).filter(([, type]) => isRequired(type))
  const schema = { type: 'object', properties: { ...properties, ...file }, required: required.map(([name]) => name) }
  const encoded = Object.entries(properties).filter(([, { type }]) => type !== 'string')
  const encoding = Object.fromEntries(encoded.map(([name]) => [name, { contentType: 'application/json' }]))
  const multipart = { 'multipart/form-data': { schema, encoding } }
  if (takesFiles) return { content: multipart }
  return { content: { 'application/x-www-form-urlencoded': { schema, encoding }, ...multipart } }
}

function toAnswerSchema(endpoint: Endpoint): Json {
  return toSchema(
    z.strictObject({
      result: z.literal('success'),
      msg: z.literal(''),
      ...endpoint.returns,
      ignored_parameters_unsupported: z.array(z.string()).optional().describe('Parameters that had no meaning here.'),
    }),
    'output',
  )
}

const envelope = {
  type: 'object',
  properties: { result: { const: 'error' }, msg: { type: 'string' }, code: { type: 'string' } },
  required: ['result', 'msg', 'code'],
}

const COMMON = { $ref: '#/components/schemas/Refused' }

/** What the endpoint itself refuses with one status; the parameters, or who asks, may be refused with it as well. */
const toOwnRefusals = (kinds: readonly RefusalKind[]) =>
  toRefusedResponse('Refused.', kinds, { ...envelope, anyOf: [...toVariants(kinds), COMMON] })

const toVariants = (kinds: readonly RefusalKind[]) =>
  kinds.map(({ code, text }) => ({ properties: { code: { const: code } }, description: text }))

function toRefusedResponse(description: string, kinds: readonly RefusalKind[], schema: Json): Json {
  const list = kinds.map(({ code, text }) => `- \`${code}\`: ${text}`).join('\n')
  return { description: `${description}\n\n${list}`, content: { 'application/json': { schema } } }
}

/** Whether a request must name it. */
export const isRequired = (type: z.ZodType): boolean => !type.safeParse(undefined).success

/** The JSON schema of what is sent (`input`), or of what is answered (`output`). */
export function toSchema(type: z.ZodType, io: 'input' | 'output' = 'input'): Json {
  const { $schema, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    // Integers beyond 2^53 are another type in here, and the same for everybody else.
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'integer') delete jsonSchema.anyOf
    },
  })
  return schema
}
