import { z } from 'zod'
import type { Endpoint } from '#http/endpoint.ts'
import { fc } from '../fast-check.ts'

/** A request that a malicious or faulty client might send. */
export type HostileRequest = {
  method: string
  path: string
  query: [name: string, value: string][]
  fields: [name: string, value: string][]
  encoding: 'form' | 'multipart' | 'json' | 'raw' | 'none'
  raw: string
  /** The index of the person whose credentials are used, or a literal header. */
  credentials: number | string | null
  /** True if the request uses a session instead of an API key. */
  isInBrowser: boolean
}

/** Strings that are known to break parsers, databases and renderers. */
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

export const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
)

/** Ids, most of which exist. */
const id = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 14 }) }, fc.integer(), fc.constant(2 ** 53))

type Schema = { type?: string; anyOf?: Schema[]; items?: Schema; enum?: unknown[]; properties?: Record<string, Schema> }

const text = (...texts: string[]) => fc.constantFrom(...texts)
const json = (arbitrary: fc.Arbitrary<unknown>) => arbitrary.map((value) => JSON.stringify(value))

const channelName = text('general', 'secret', 'GENERAL', 'new channel', 'nope', 'gross\u00e9', ' general ')
const userIds = json(fc.uniqueArray(fc.integer({ min: 3, max: 12 }), { maxLength: 3 }))
const emails = json(fc.uniqueArray(text('alice@example.com', 'BOB@example.com', 'user7@parley.test'), { maxLength: 2 }))
const group = json(
  fc.oneof(
    fc.integer({ min: 1, max: 12 }),
    fc.record({
      direct_members: fc.array(fc.integer({ min: 3, max: 12 })),
      direct_subgroups: fc.array(fc.integer({ min: 1, max: 9 })),
    }),
  ),
)

/** Valid values of parameters by name. Other parameters get values of their types. */
const validValues: Record<string, fc.Arbitrary<string>> = {
  type: text('channel', 'stream', 'direct', 'private'),
  to: fc.oneof(
    text('general', 'secret', '"general"', 'alice@example.com'),
    userIds,
    emails,
    json(fc.integer({ min: 1, max: 3 })),
  ),
  content: text('Hello', '**bold** @**Ada**', '/me waves', ':smile: `x`', 'x'.repeat(10_001)),
  topic: text('hello', '', '\u2714 hello', 'HELLO', 'other'),
  status: text('active', 'idle'),
  op: text('add', 'remove', 'start', 'stop'),
  flag: text('read', 'starred', 'collapsed', 'mentioned'),
  messages: json(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 })),
  emoji_name: text('smile', 'heart', 'parley', 'zulip', 'nope'),
  reaction_type: text('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji', 'service_extra_emoji'),
  propagate_mode: text('change_one', 'change_later', 'change_all'),
  subscriptions: fc.oneof(
    json(fc.array(channelName, { maxLength: 3 })),
    json(fc.array(fc.record({ name: channelName }), { minLength: 1, maxLength: 3 })),
  ),
  delete: fc.oneof(json(fc.array(channelName, { maxLength: 2 })), userIds),
  add: fc.oneof(json(fc.array(fc.record({ name: channelName }), { maxLength: 2 })), userIds),
  principals: fc.oneof(userIds, emails),
  stream: channelName,
  stream_id: json(fc.integer({ min: 1, max: 4 })),
  stream_ids: json(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 2 })),
  invitee_emails: text(
    'new@x.com',
    'a@x.com,b@x.com\nc@x.com',
    'alice@example.com, d@y.org',
    'Ann <ann@z.net>',
    'broken',
  ),
  invite_as: text('100', '200', '300', '400', '600'),
  invite_expires_in_minutes: text('10', '14400', 'null', '0'),
  msg_type: text('widget'),
  email: text('someone@x.com', 'alice@example.com'),
  full_name: text('Some One', 'Ada', 'x'),
  role: text('100', '200', '300', '400', '600'),
  name: text('friends', 'role:members', 'x', 'general'),
  description: text('', 'about **it**'),
  members: userIds,
  field_type: text('1', '2', '3', '4', '5', '6', '7', '8'),
  field_data: text('{"a":{"text":"A","order":"1"}}', '{"subtype":"github"}', '{"subtype":"custom","url_pattern":"x"}'),
  data: fc.oneof(
    json(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 })),
    json(
      fc.array(
        fc.record({ id: fc.integer({ min: 1, max: 4 }), value: fc.oneof(text('x', 'a', '2000-01-01', ''), id) }),
        { maxLength: 3 },
      ),
    ),
  ),
  pattern: text('#(?P<id>[0-9]+)', '(a+)+$', 'x('),
  url_template: text('https://x.com/{id}', 'https://x.com/{code}', 'javascript:{id}'),
  subscription_data: json(
    fc.array(
      fc.record({
        stream_id: fc.integer({ min: 1, max: 3 }),
        property: text('color', 'is_muted', 'pin_to_top', 'in_home_view', 'nope'),
        value: fc.oneof(fc.boolean(), text('#00ff00', 'red')),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  ),
}

function plausible(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(plausible))
  if (schema.type === 'integer' || schema.type === 'number') return id
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  if (schema.type === 'array') return fc.array(plausible(schema.items ?? {}), { maxLength: 4 })
  if (schema.type === 'object')
    return fc.record(
      Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, property]) => [key, plausible(property)])),
    )
  return fc.constantFrom('general', 'alice@example.com', 'x')
}

function validText(name: string, type: z.ZodType): fc.Arbitrary<string> {
  if (/_group$/.test(name))
    return fc.oneof(
      group,
      group.map((value) => `{"new":${value}}`),
    )
  const schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema
  return (
    validValues[name] ??
    plausible(schema).map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
  )
}

/** Generates the parameters of one request: either all valid, or each one odd with some probability. */
function paramsOf(endpoint: Endpoint): fc.Arbitrary<[string, string][]> {
  const params = Object.entries(endpoint.params).map(([name, type]) => {
    const isRequired = !type.safeParse(undefined).success
    const valid = validText(name, type)
    const odd = fc.oneof({ weight: 2, arbitrary: valid }, { weight: 1, arbitrary: oddText })
    return { name, valid: isRequired ? valid : fc.option(valid, { freq: 1 }), odd: fc.option(odd, { freq: 5 }) }
  })
  const all = (kind: 'valid' | 'odd') =>
    fc
      .tuple(...params.map((param) => param[kind]))
      .map((values) =>
        values.flatMap((value, index): [string, string][] =>
          value === null ? [] : [[params[index]?.name ?? '', value]],
        ),
      )
  return fc.oneof(all('valid'), all('odd'))
}

const pathText = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 6 }).map(String) },
  { weight: 2, arbitrary: id.map(String) },
  { weight: 2, arbitrary: text('alice@example.com', 'smile', 'x.com') },
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
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 7 }) },
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
  const params = paramsOf(endpoint)
  const extra = fc.option(fc.tuple(fc.constantFrom('client', 'method', 'zeal', '__proto__', ''), oddText), { freq: 1 })
  const path = fc
    .array(pathText, { minLength: 3, maxLength: 3 })
    .map((parts) => endpoint.path.replace(/\{\w+\}/g, () => parts.pop() ?? ''))
  return fc
    .record({
      method: fc.oneof({ weight: 20, arbitrary: fc.constant(endpoint.method) }, fc.constantFrom(...methods)),
      path,
      params,
      extra,
      inQuery: fc.boolean(),
      encoding: fc.oneof(
        { weight: 8, arbitrary: fc.constant('form' as const) },
        fc.constantFrom('multipart' as const, 'json' as const, 'raw' as const, 'none' as const),
      ),
      raw: oddText,
      credentials,
      isInBrowser: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    })
    .map(({ params, extra, inQuery, ...request }) => {
      const fields = extra === null ? params : [...params, extra]
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      return isRead || inQuery ? { ...request, query: fields, fields: [] } : { ...request, query: [], fields }
    })
}

/** Generates requests to all endpoints. */
export function hostileRequests(endpoints: readonly Endpoint[]): fc.Arbitrary<HostileRequest> {
  return fc.oneof(...endpoints.map(requestTo))
}
