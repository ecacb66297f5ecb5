import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '#api.ts'
import { openApiDocument } from '#http/openapi.ts'
import { sharedRefusals } from '#http/refusals.ts'
import { startChat } from '../harness.ts'

type Schema = { $ref?: string; properties?: Record<string, { enum?: string[]; description?: string }> }
type Response = { $ref?: string; description?: string; content?: { 'application/json': { schema: Schema } } }
type Operation = {
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, Response>
}

const document = openApiDocument(api, 'http://localhost')
const operations = document['paths'] as Record<string, Record<string, Operation>>

const findOperation = ({ method, path }: { method: string; path: string }) => operations[path]?.[method.toLowerCase()]

const documented = api.flatMap((endpoint) => {
  const operation = findOperation(endpoint)
  return operation === undefined ? [] : [{ endpoint, operation }]
})

function resolved<Part extends { $ref?: string }>(part: Part): Part {
  const keys = part.$ref?.split('/').slice(1)
  return keys === undefined ? part : (keys.reduce<unknown>((at, key) => (at as Schema)[key as never], document) as Part)
}

/** Returns the codes that a refusal with this response may have. */
function codesOf(response: Response | undefined): readonly string[] {
  const schema = resolved(response ?? {}).content?.['application/json'].schema
  return resolved(schema ?? {}).properties?.['code']?.enum ?? []
}

test('the document declares every refusal of an endpoint and of the server around it', () => {
  for (const { endpoint, operation } of documented) {
    for (const { code, status, text } of [...endpoint.refuses, ...sharedRefusals(endpoint)]) {
      const response = operation.responses[status]
      // Refusals that are successful, because the request was only ignored, are described with the success.
      const codes = status < 300 ? (/`(\w+)`/.exec(response?.description ?? '') ?? []) : codesOf(response)
      assert.ok(codes.includes(code), `${endpoint.method} ${endpoint.path}: ${status} ${text}`)
    }
  }
})

test('the field of a refusal is one name, which fits in a header', () => {
  for (const endpoint of api)
    for (const { field, text } of [...endpoint.refuses, ...sharedRefusals(endpoint)])
      assert.match(field ?? 'none', /^(?:[a-z_]+|\{[a-z]+\})$/i, text)
})

test('responses to an invalid id, a wrong method, missing credentials and a wrong key have declared codes', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const requests: [method: string, path: string, password: string | null][] = [
    ['GET', '/messages/{message_id}', ada.apiKey],
    ['DELETE', '/drafts/{draft_id}', ada.apiKey],
    ['PUT', '/messages/{message_id}', ada.apiKey],
    ['POST', '/users/me/presence', null],
    ['GET', '/users/{user_id}', 'A'.repeat(32)],
    ['POST', '/invites', 'short'],
    ['PUT', '/server_settings', null],
  ]

  for (const [method, path, password] of requests) {
    const authorization = `Basic ${Buffer.from(`${ada.email}:${password}`).toString('base64')}`
    const answer = await chat.request({
      method,
      path: `/api/v1${path.replace(/\{\w+\}/, password === ada.apiKey && method !== 'PUT' ? 'x1' : '1')}`,
      headers: { host: 'parley.test', ...(password !== null && { authorization }) },
    })
    const operation = operations[path]?.[method.toLowerCase()] ?? Object.values(operations[path] ?? {})[0]
    const codes = codesOf(operation?.responses[answer.status])
    assert.ok(answer.status >= 400, path)
    assert.ok(codes.includes(JSON.parse(answer.body).code), `${method} ${path}: ${answer.status}`)
  }
})

test('every integer of the document has 64 bits', () => {
  const integers: unknown[] = []
  JSON.stringify(document, (_, value) => {
    if (value?.type === 'integer' || value?.type?.[0] === 'integer') integers.push(value)
    return value
  })

  assert.ok(integers.length > 1000)
  assert.deepEqual(
    integers.filter((schema) => (schema as { format?: string }).format !== 'int64'),
    [],
  )
})
