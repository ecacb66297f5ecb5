import { z } from 'zod'
import { programVersion } from '#lib/process.ts'
import { JSON_BODY } from './body/json-body.ts'
import type { CallerKind, Endpoint } from './endpoint.ts'
import { isRequired, type JsonSchema, sharedRefusalComponents, toResponses, toSchema } from './openapi-schema.ts'
import { jsonOfText, type ParamTypes } from './params.ts'

/** The descriptions of who may call an operation. */
export const callers: Readonly<Record<CallerKind, string>> = {
  anyone: 'Needs no credentials.',
  user: 'For people and bots.',
  human: 'For people, not bots.',
  member: 'For people who are not guests.',
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
