import { z } from 'zod'
import type { RefusalKind } from '#lib/errors.ts'
import { programVersion } from '#lib/process.ts'
import { JSON_BODY } from './body/json-body.ts'
import type { CallerKind, Endpoint } from './endpoint.ts'
import { jsonOfText, type ParamTypes } from './params.ts'
import { sharedRefusals, webhookCredentialRefusals } from './refusals.ts'

// The OpenAPI 3.1 document of the endpoints. It is derived from their declarations, so it is never out of date, and
// uses only features of JSON Schema that generators of clients support.

export type JsonSchema = Record<string, unknown>

/** Returns whether the parameter is required. */
export const isRequired = (type: z.ZodType): boolean => !type.safeParse(undefined).success

/**
 * Returns the JSON schema of a parameter (`input`) or of a response (`output`). It uses only features that code
 * generators support.
 */
export function toSchema(type: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type !== 'integer') return
      // Integers beyond 2^53 have their own type in this code only.
      delete jsonSchema.anyOf
      // Without a format, generators for some languages choose a type of 32 bits.
      jsonSchema.format = 'int64'
    },
  })
  return simplified(schema)
}

/** Removes, from a schema and all schemas in it, everything that client generators reject or get wrong. */
function simplified(schema: JsonSchema): JsonSchema {
  const result: JsonSchema = { ...schema }
  for (const key of ['items', 'additionalProperties', 'propertyNames'])
    if (isObject(schema[key])) result[key] = simplified(schema[key])
  if (isObject(result['items'])) result['items'] = withoutList(result['items'])
  if (isObject(result['additionalProperties']))
    result['additionalProperties'] = unlessMixed(result['additionalProperties'])
  // Generators copy an object into languages in which it is no value.
  if (isObject(schema['default'])) delete result['default']
  if (isObject(schema['properties']))
    result['properties'] = Object.fromEntries(
      Object.entries(schema['properties']).map(([name, property]) => [name, simplified(property as JsonSchema)]),
    )
  if (Array.isArray(schema['oneOf'])) return withFewerVariants(withoutOneOf(result), flattened(schema))
  if (Array.isArray(schema['anyOf'])) return withFewerVariants(result, schema['anyOf'] as JsonSchema[])
  if (Array.isArray(schema['prefixItems'])) return withCommonItems(result, schema['prefixItems'] as JsonSchema[])
  if (typeof schema['const'] === 'boolean') return withoutConstant(result, schema['const'])
  return Array.isArray(schema['type']) ? withVariants(result, schema['type']) : result
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutOneOf = ({ oneOf: _, ...rest }: JsonSchema): JsonSchema => rest

/** Returns the variants of a union that is discriminated by one field or by several. */
const flattened = (schema: JsonSchema): JsonSchema[] =>
  Array.isArray(schema['oneOf']) ? (schema['oneOf'] as JsonSchema[]).flatMap(flattened) : [schema]

/**
 * Merges variants that generators do not distinguish. If one plain type and null remain, writes them as a list of
 * types.
 */
function withFewerVariants(schema: JsonSchema, anyOf: readonly JsonSchema[]): JsonSchema {
  const variants = distinct(anyOf.map(simplified))
  const { anyOf: _, ...rest } = schema
  const [first, ...others] = variants.filter(({ type }) => type !== 'null')
  const isPlain = typeof first?.['type'] === 'string' && !('enum' in first) && !('const' in first)
  if (!isPlain || others.length > 0 || variants.length === 1) return { ...rest, anyOf: variants }
  return { ...first, ...rest, type: [first['type'], 'null'] }
}

/**
 * Writes a tuple as a list of fixed length whose items may have any type of the tuple. Generators do not support
 * tuples.
 */
function withCommonItems(schema: JsonSchema, tuple: readonly JsonSchema[]): JsonSchema {
  const { prefixItems, ...rest } = schema
  const items = distinct(tuple.map(simplified).flatMap((item) => (item['anyOf'] as JsonSchema[] | undefined) ?? [item]))
  return { ...rest, items: items.length === 1 ? items[0] : { anyOf: items } }
}

/**
 * Describes items that may be a list or an object as objects only, with fields of any type where there are several.
 * Generators have no name for such items and fields.
 */
function withoutList(items: JsonSchema): JsonSchema {
  const variants = (items['anyOf'] as JsonSchema[] | undefined) ?? []
  const object = variants.find(({ type }) => type === 'object')
  if (object === undefined || !variants.some(({ type }) => type === 'array')) return items
  const fields = Object.entries((object['properties'] ?? {}) as Record<string, JsonSchema>)
  return { ...object, properties: Object.fromEntries(fields.map(([name, field]) => [name, unlessMixed(field)])) }
}

/** Allows any value instead of values of several types. Generators have no name for such a value in a map. */
function unlessMixed(value: JsonSchema): JsonSchema {
  const types = new Set(((value['anyOf'] as JsonSchema[] | undefined) ?? []).map(({ type }) => type))
  return types.size > 1 ? {} : value
}

/** Describes a constant boolean in words. Generators would copy it into languages that spell it differently. */
function withoutConstant(schema: JsonSchema, value: boolean): JsonSchema {
  const { const: constant, ...rest } = schema
  return { ...rest, description: `${rest['description'] ?? ''} Always ${value}.`.trim() }
}

/** Writes a list of types as variants. Generators support a list of types only for one type that may be null. */
function withVariants(schema: JsonSchema, types: readonly unknown[]): JsonSchema {
  if (types.filter((type) => type !== 'null').length < 2) return schema
  const { type, ...rest } = schema
  return { ...rest, anyOf: types.map((first) => ({ type: first })) }
}

function distinct(schemas: readonly JsonSchema[]): JsonSchema[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

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
function toResponses(endpoint: Endpoint): JsonSchema {
  const shared = Map.groupBy(sharedRefusals(endpoint), ({ status }) => status)
  const ignored = endpoint.refuses.filter(({ status }) => status < 300)
  const refused = endpoint.refuses.filter((kind) => !ignored.includes(kind))
  // The other operations describe the shared refusals once, without those of webhooks.
  const credentials = endpoint.who === 'webhook bot' ? webhookCredentialRefusals : []
  const own = Map.groupBy([...refused, ...credentials], ({ status }) => status)
  const statuses = [...new Set([...shared.keys(), ...own.keys()])].toSorted((first, other) => first - other)
  return {
    200: {
      description: ignored.length === 0 ? 'Success.' : `Success. ${listOf(ignored)}`,
      content:
        endpoint.refusalToText === null
          ? { 'application/json': { schema: toSuccessSchema(endpoint) } }
          : { 'text/plain': { schema: { type: 'string' } } },
    },
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
function sharedRefusalComponents(): { responses: JsonSchema; schemas: JsonSchema } {
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

/** The descriptions of who may call an operation. */
export const callers: Readonly<Record<CallerKind, string>> = {
  anyone: 'Needs no credentials.',
  user: 'For people and bots.',
  human: 'For people, not bots.',
  member: 'For people who are not guests.',
  spectator:
    'For people and bots. Under /json also without an account, where the organization allows it: then only messages ' +
    'of web-public channels are returned.',
  'webhook bot': 'For incoming-webhook bots, whose API key may be the parameter `api_key` in the URL.',
}

/** Operations by path and method that are not declared as endpoints, because they do not return JSON. */
export type OtherOperations = Readonly<Record<string, Record<string, JsonSchema>>>

/** Returns the OpenAPI 3.1 document of the endpoints. `url` is the address of the organization. */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  url: string,
  otherOperations: OtherOperations = {},
): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  const groups = byTemplate(endpoints)
  const shared = sharedRefusalComponents()
  for (const [main, ...others] of groups) {
    paths[main.path] ??= {}
    ;(paths[main.path] as Record<string, JsonSchema>)[main.method.toLowerCase()] = toOperation(main, others)
  }
  for (const [path, methods] of Object.entries(otherOperations)) paths[path] = { ...paths[path], ...methods }
  return withNamedSchemas({
    openapi: '3.1.0',
    info: {
      title: 'Parley REST API',
      version: programVersion,
      description:
        'Parameters are sent as a JSON object, as a form or in the query. In forms and queries, all values except text are JSON. ' +
        'Responses are JSON objects with `result` and `msg`; errors also have a `code`.',
      contact: { name: 'Administrators of this server', url },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${url}/api/v1` }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'basic', description: 'The API email address, and an API key as password.' },
        webhookKey: {
          type: 'apiKey',
          in: 'query',
          name: 'api_key',
          description: 'The API key of an incoming webhook.',
        },
      },
      responses: shared.responses,
      schemas: { ...shared.schemas, ...bodySchemas(groups.map(([main]) => main)) },
    },
  })
}

type Document = JsonSchema & { components: JsonSchema & { schemas: JsonSchema } }

/** Moves object types with a title to the named schemas. Generators confuse types inside a parameter. */
function withNamedSchemas(document: Document): JsonSchema {
  const named: JsonSchema = {}

  function move(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(move)
    if (typeof value !== 'object' || value === null) return value
    const moved: JsonSchema = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, move(child)]))
    const { title, ...schema } = moved
    if (typeof title !== 'string' || schema['type'] !== 'object') return moved
    named[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }

  const { components, ...rest } = move(document) as Document
  return { ...rest, components: { ...components, schemas: { ...components.schemas, ...named } } }
}

/**
 * Groups the endpoints by method and path, ignoring the names of path parameters, since OpenAPI has one operation for
 * each. The endpoint whose parameters are numbers comes first in its group.
 */
function byTemplate(endpoints: readonly Endpoint[]): [main: Endpoint, ...others: Endpoint[]][] {
  const groups = Map.groupBy(endpoints, ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  const typed = ({ pathTypes }: Endpoint) => Object.keys(pathTypes).length
  return Array.from(
    groups.values(),
    (group) => group.toSorted((first, other) => typed(first) - typed(other)) as [Endpoint, ...Endpoint[]],
  )
}

function toOperation(endpoint: Endpoint, others: readonly Endpoint[]): JsonSchema {
  const isRead = endpoint.method === 'GET'
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(endpoint.pathTypes[name] ?? z.int().min(0)),
  }))
  return {
    operationId: operationId(endpoint),
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: [endpoint.description, callers[endpoint.who], ...others.map(toNote)]
      .filter((text) => text !== '')
      .join(' '),
    ...(endpoint.who === 'anyone' && { security: [] }),
    ...(endpoint.who === 'webhook bot' && { security: [{ webhookKey: [] }, { apiKey: [] }] }),
    parameters: [...inPath, ...(isRead ? toQueryParameters(endpoint.params) : [])],
    ...(!isRead && toRequestBody(endpoint)),
    responses: toResponses(endpoint),
  }
}

/** Returns the note about an endpoint whose path differs from an operation's path only by the names of parameters. */
const toNote = ({ method, path, summary, description }: Endpoint) =>
  `\`${method} ${path}\`: ${summary}.${description === '' ? '' : ` ${description}`}`

/** Types whose JSON is the same as their text in a query. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean'])

function toQueryParameters(params: ParamTypes): JsonSchema[] {
  return Object.entries(params).map(([name, type]) => {
    const { description, ...schema } = toSchema(type)
    return {
      name,
      in: 'query',
      required: isRequired(type),
      ...(description !== undefined && { description }),
      ...(PLAIN_TYPES.has(schema['type'])
        ? { schema }
        : { content: { 'application/json': { schema: inQuery(schema) } } }),
    }
  })
}

/** Leaves out the fields of listed objects. Generators for some languages cannot write them into a query. */
function inQuery(schema: JsonSchema): JsonSchema {
  const { items } = schema
  const isObjectList = typeof items === 'object' && items !== null && 'type' in items && items.type === 'object'
  return isObjectList ? { ...schema, items: { type: 'object' } } : schema
}

/** The parameters in a body: as members of a JSON object, and as fields of a form, which may hold a file as well. */
type Bodies = { json: JsonSchema | null; form: JsonSchema; formType: string; encoding: JsonSchema }

function toBodies({ params, maxUploadBytes, readsFiles }: Endpoint): Bodies | null {
  const takesFiles = maxUploadBytes !== null || readsFiles
  const types = Object.entries(params)
  if (types.length === 0 && !takesFiles) return null
  const required = types.filter(([, type]) => isRequired(type)).map(([name]) => name)
  const toObject = (properties: JsonSchema) => ({ type: 'object', properties, required })
  const inForm = Object.fromEntries(types.map(([name, type]) => [name, toSchema(type)]))
  const encoded = Object.entries(inForm).filter(([, { type }]) => type !== 'string')
  const file = { type: 'string', contentMediaType: 'application/octet-stream' }
  return {
    json: takesFiles ? null : toObject(Object.fromEntries(types.map(([name, type]) => [name, toSchemaInJson(type)]))),
    form: toObject(takesFiles ? { ...inForm, file } : inForm),
    formType: takesFiles ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
    encoding: Object.fromEntries(encoded.map(([name]) => [name, { contentType: 'application/json' }])),
  }
}

function toRequestBody(endpoint: Endpoint): JsonSchema {
  const bodies = toBodies(endpoint)
  if (bodies === null) return {}
  const { json, formType, encoding } = bodies
  const [jsonName, formName] = bodyNames(endpoint)
  const content = {
    ...(json !== null && { [JSON_BODY]: { schema: { $ref: `#/components/schemas/${jsonName}` } } }),
    [formType]: { schema: { $ref: `#/components/schemas/${formName}` }, encoding },
  }
  // The body is not required: the parameters may be in the query as well.
  return { requestBody: { content } }
}

/** Returns the schemas of all bodies by their names. Generators mix up bodies without names. */
function bodySchemas(endpoints: readonly Endpoint[]): JsonSchema {
  const schemas: JsonSchema = {}
  for (const endpoint of endpoints) {
    const bodies = endpoint.method === 'GET' ? null : toBodies(endpoint)
    if (bodies === null) continue
    const [jsonName, formName] = bodyNames(endpoint)
    if (bodies.json !== null) schemas[jsonName] = bodies.json
    schemas[formName] = bodies.form
  }
  return schemas
}

function bodyNames(endpoint: Endpoint): [json: string, form: string] {
  const id = operationId(endpoint)
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`
  return [`${name}Body`, `${name}Form`]
}

function toSchemaInJson(type: z.ZodType): JsonSchema {
  const { description, ...text } = toSchema(type)
  const json = jsonOfText(type)
  if (json === undefined) return { ...text, ...(description !== undefined && { description }) }
  const { anyOf = [], ...single } = toSchema(json)
  const variants = 'type' in single ? [single] : (anyOf as JsonSchema[])
  return { ...(description !== undefined && { description }), anyOf: [text, ...variants] }
}

const operationId = ({ method, path }: Endpoint) =>
  `${method.toLowerCase()}${path.replace(/\{(\w+)\}/g, 'by-$1').replace(/[/_-](\w)/g, (_, letter) => letter.toUpperCase())}`
