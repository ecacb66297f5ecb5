import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '#api.ts'
import { JSON_BODY } from '#http/body/json-body.ts'
import { openApiDocument } from '#http/openapi.ts'
import { programVersion } from '#lib/process.ts'
import { realmPictureOperations } from '#organizations/pictures.ts'

// Rules for the OpenAPI document, which linters and client generators rely on.

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  tags?: string[]
  summary?: string
  description?: string
  parameters: { name: string; in: string; required: boolean; schema?: Json; content?: Json }[]
}

const document = openApiDocument(api, 'http://localhost', realmPictureOperations) as Json & {
  info: Json
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
)

/** Returns every object in the document with the keys that lead to it. */
function* objectsIn(
  value: unknown,
  keys: readonly string[] = [],
): Generator<{ object: Json; keys: readonly string[] }> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield { object: value as Json, keys }
  for (const [key, child] of Object.entries(value)) yield* objectsIn(child, [...keys, key])
}

const places = (isWrong: (object: Json, keys: readonly string[]) => boolean) =>
  [...objectsIn(document)].filter(({ object, keys }) => isWrong(object, keys)).map(({ keys }) => keys.join('/'))

test('lists in the document have an item type, and none is a tuple', () => {
  assert.deepEqual(
    places((schema) => schema['type'] === 'array' && (typeof schema['items'] !== 'object' || schema['items'] === null)),
    [],
  )
  assert.deepEqual(
    places((schema) => 'prefixItems' in schema),
    [],
  )
})

test('null occurs in the document only in combination with another type', () => {
  assert.deepEqual(
    places((schema, keys) => schema['type'] === 'null' && keys.at(-2) !== 'anyOf'),
    [],
  )
})

test('a list of types in the document is one type and null', () => {
  assert.deepEqual(
    places(({ type }) => Array.isArray(type) && (type.length !== 2 || !type.includes('null'))),
    [],
  )
})

test('the document has no boolean constant and no duplicate variant', () => {
  assert.deepEqual(
    places((schema) => typeof schema['const'] === 'boolean'),
    [],
  )
  const isRepeated = (variants: unknown[]) => new Set(variants.map((one) => JSON.stringify(one))).size < variants.length
  assert.deepEqual(
    places(({ anyOf }) => Array.isArray(anyOf) && isRepeated(anyOf)),
    [],
  )
})

test('no default is an object, and no item may be a list or an object', () => {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  const typesOf = (schema: unknown) => ((schema as { anyOf?: Json[] }).anyOf ?? []).map(({ type }) => type)

  assert.deepEqual(
    places((schema, keys) => keys.at(-1) !== 'responses' && isObject(schema['default'])),
    [],
  )
  assert.deepEqual(
    places(({ items }) => isObject(items) && typesOf(items).includes('array') && typesOf(items).includes('object')),
    [],
  )
  assert.deepEqual(
    places(
      ({ additionalProperties }) => isObject(additionalProperties) && new Set(typesOf(additionalProperties)).size > 1,
    ),
    [],
  )
})

test('the redirects to the pictures of the organization are in the document', () => {
  assert.deepEqual(Object.keys(document.paths['/realm/icon'] ?? {}).toSorted(), ['delete', 'get', 'post'])
  assert.deepEqual(
    document.paths['/realm/logo']?.['get']?.parameters.map(({ name }) => name),
    ['night'],
  )
})

test('no two paths of the document differ only in the names of their parameters', () => {
  const templates = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'))

  assert.deepEqual(
    templates.filter((template, at) => templates.indexOf(template) !== at),
    [],
  )
})

test('every endpoint is an operation of the document, or is mentioned by the operation with the same path', () => {
  for (const { method, path } of api) {
    const route = `${method} ${path}`
    const isThere = operations.some((one) => one.route === route)
    const isMentioned = operations.some(({ operation }) => operation.description?.includes(`\`${route}\``))
    assert.ok(isThere || isMentioned, route)
  }
})

test('every operation has a unique name, a tag that the document lists, a summary and a description', () => {
  const tags = document.tags.map(({ name }) => name)

  for (const { route, operation } of operations) {
    assert.equal(operation.tags?.length, 1, route)
    assert.ok(tags.includes(operation.tags[0] ?? ''), route)
    assert.ok(operation.summary, route)
    assert.ok(operation.description, route)
  }
  assert.ok(!tags.includes(''))
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
})

test('every path parameter is declared and required', () => {
  for (const { route, operation } of operations) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      inPath.map(({ name, required }) => [name, required]),
      [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, true]),
      route,
    )
  }
})

test('integers, booleans and strings in a query are declared as such, and only lists and objects as JSON', () => {
  for (const { route, operation } of operations)
    for (const { name, schema, content } of operation.parameters) {
      const json = content?.[JSON_BODY] as { schema: Json } | undefined
      const isPlain = ['string', 'integer', 'number', 'boolean'].includes(String((schema ?? json?.schema)?.['type']))
      assert.equal(schema !== undefined, isPlain, `${route} ${name}`)
    }
})

test('the document has the version of the program, a contact, a server and only valid references', () => {
  assert.equal(document.info['version'], programVersion)
  assert.deepEqual(document.info['contact'], { name: 'Administrators of this server', url: 'http://localhost' })
  for (const { object, keys } of objectsIn(document)) {
    if (typeof object['$ref'] !== 'string') continue
    const target = object['$ref']
      .split('/')
      .slice(1)
      .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document)
    assert.ok(target !== undefined, `${keys.join('/')}: ${object['$ref']}`)
  }
})
