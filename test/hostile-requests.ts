import fc from 'fast-check'
import { z } from 'zod'
import type { Endpoint } from '../server/http/endpoint.ts'

/** A request as somebody might send it who means no good, or has a bug. */
export type HostileRequest = {
  method: string
  path: string
  query: [name: string, value: string][]
  fields: [name: string, value: string][]
  encoding: 'form' | 'multipart' | 'json' | 'raw' | 'none'
  raw: string
  /** Whose credentials, by position in the cast; or a header as it stands. */
  credentials: number | string | null
}

/** Texts that have broken parsers, databases and renderers. */
const oddTexts = [
  '',
  ' ',
  'null',
  'true',
  'True',
  '0',
  '1',
  '-1',
  '5.0',
  '1e3',
  'NaN',
  'Infinity',
  '-0',
  '007',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-99999999999999999999999999',
  '9'.repeat(400),
  '[]',
  '{}',
  '[1,"a"]',
  '["a",1]',
  '[null]',
  '[[[[[[[[[[]]]]]]]]]]',
  `${'['.repeat(5000)}`,
  `[${'0,'.repeat(1500)}0]`,
  '{"__proto__":{"a":1}}',
  '{"direct_members":[1],"direct_subgroups":[99999]}',
  '{"new":1,"old":2}',
  '{"new":{"direct_members":["x"]}}',
  '"\\ud800"',
  '"\\u0000"',
  '["\\u0000","\\udfff"]',
  '\u0000',
  'a\u0000b',
  '\ufeff',
  '\u202e\u200b',
  '\uffff',
  '😀'.repeat(70),
  'x'.repeat(11_000),
  "'; drop table users; --",
  '%00%ff',
  '../../../etc/passwd',
  '<script>alert(1)</script>',
  '@**all** #**general>x** :smile: [a](javascript:alert(1))',
  'general',
  'a@x.com',
  '__proto__',
  'constructor',
]

const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
)

/** Ids that mostly exist. */
const id = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 14 }) }, fc.integer(), fc.constant(2 ** 53))

type Schema = { type?: string; anyOf?: Schema[]; items?: Schema; enum?: unknown[]; properties?: Record<string, Schema> }

/** Values of about the declared type, so that many requests come past the decoding. */
function plausible(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(plausible))
  if (schema.type === 'integer' || schema.type === 'number') return id
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array') return fc.array(plausible(schema.items ?? {}), { maxLength: 4 })
  if (schema.type === 'object')
    return fc.record(
      Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, of]) => [key, plausible(of)])),
    )
  return fc.oneof(
    fc.constantFrom(
      'general',
      'alice@example.com',
      'idle',
      'active',
      'stream',
      'direct',
      'add',
      'read',
      'new@x.com',
      'smile',
      'Ada',
    ),
    oddText,
  )
}

function paramText(type: z.ZodType): fc.Arbitrary<string> {
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  const typed = plausible(schema).map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
  return fc.oneof({ weight: 3, arbitrary: typed }, { weight: 1, arbitrary: oddText })
}

const pathText = fc.oneof(
  { weight: 6, arbitrary: id.map(String) },
  fc.constantFrom(
    '-1',
    'abc',
    '1.0',
    '0',
    '000001',
    '9'.repeat(60),
    '%00',
    '%ff',
    '%2e%2e',
    'me',
    'alice@example.com',
    'smile',
  ),
  oddText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 200)),
)

const credentials = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 7 }) },
  fc.constant(null),
  fc.constantFrom(
    '',
    'Basic',
    'Basic ',
    'Basic !!!!',
    'Bearer x',
    'Digest a=b, c=d',
    'Basic Zm9v',
    'basic  Zm9vOmJhcg==',
  ),
)

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function requestTo(endpoint: Endpoint): fc.Arbitrary<HostileRequest> {
  const params = Object.entries(endpoint.params).map(([name, type]) =>
    fc.option(paramText(type), { freq: 5, nil: null }).map((value) => [name, value] as const),
  )
  const given = fc.tuple(...params).map((all) => all.filter((field): field is [string, string] => field[1] !== null))
  const extra = fc.option(fc.tuple(fc.constantFrom('client', 'method', 'zeal', '__proto__', ''), oddText), { freq: 5 })
  const path = fc
    .array(pathText, { minLength: 3, maxLength: 3 })
    .map((parts) => endpoint.path.replace(/\{\w+\}/g, () => parts.pop() ?? ''))
  return fc
    .record({
      method: fc.oneof({ weight: 20, arbitrary: fc.constant(endpoint.method) }, fc.constantFrom(...methods)),
      path,
      given,
      extra,
      inQuery: fc.boolean(),
      encoding: fc.oneof(
        { weight: 8, arbitrary: fc.constant('form' as const) },
        fc.constantFrom('multipart' as const, 'json' as const, 'raw' as const, 'none' as const),
      ),
      raw: oddText,
      credentials,
    })
    .map(({ given, extra, inQuery, ...request }) => {
      const fields = extra === null ? given : [...given, extra]
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      return isRead || inQuery ? { ...request, query: fields, fields: [] } : { ...request, query: [], fields }
    })
}

/** Requests of all kinds to all endpoints. */
export function hostileRequests(endpoints: readonly Endpoint[]): fc.Arbitrary<HostileRequest> {
  return fc.oneof(...endpoints.map(requestTo))
}
