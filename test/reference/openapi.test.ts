import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '../../server/api.ts'
import { openApiDocument } from '../../server/http/openapi.ts'
import { commonRefusals } from '../../server/http/refusals.ts'

type Schema = { $ref?: string; anyOf?: Schema[]; properties?: { code?: { const?: string } } }
type Response = { $ref?: string; content?: { 'application/json': { schema: Schema } } }
type Operation = {
  operationId: string
  parameters: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: { properties: Record<string, { description?: string }> } }> }
  responses: Record<string, Response>
}

const document = openApiDocument(api, 'http://localhost')
const operations = document['paths'] as Record<string, Record<string, Operation>>

const operationOf = ({ method, path }: { method: string; path: string }) =>
  operations[path]?.[method.toLowerCase()] as Operation

function resolved<Part extends { $ref?: string }>(part: Part): Part {
  const keys = part.$ref?.split('/').slice(1)
  return keys === undefined ? part : (keys.reduce<unknown>((at, key) => (at as Schema)[key as never], document) as Part)
}

const admits = (schema: Schema, code: string): boolean =>
  (resolved(schema).anyOf ?? []).some(({ $ref, properties }) =>
    $ref === undefined ? properties?.code?.const === code : admits({ $ref }, code),
  )

test('the document has every operation once, with the parameters of its path', () => {
  const ids = api.map((endpoint) => operationOf(endpoint).operationId)
  assert.equal(new Set(ids).size, api.length)

  for (const endpoint of api) {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const told = operationOf(endpoint).parameters.filter((parameter) => parameter.in === 'path')
    assert.deepEqual(
      told.map(({ name }) => name),
      inPath,
    )
  }
})

test('whatever an endpoint may refuse, for itself or for the parameters and who asks, is an answer in the document', () => {
  for (const endpoint of api) {
    const { responses } = operationOf(endpoint)
    for (const { code, status, text } of [...endpoint.refuses, ...commonRefusals]) {
      const schema = resolved((responses[status] ?? responses['default']) as Response).content?.['application/json']
        .schema
      assert.ok(schema !== undefined && admits(schema, code), `${endpoint.method} ${endpoint.path}: ${status} ${text}`)
    }
  }
})

test('integers of up to 64 bits are integers in the document, and nothing else', () => {
  const { requestBody } = operationOf({ method: 'POST', path: '/users/me/presence' })

  const { schema } = requestBody?.content['application/x-www-form-urlencoded'] ?? {}

  const { description, ...last_update_id } = schema?.properties['last_update_id'] ?? {}
  assert.deepEqual(last_update_id, { type: 'integer', format: 'int64' })
})
