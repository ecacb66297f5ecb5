import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseForm } from '#http/params.ts'
import { Refusal } from '#lib/errors.ts'
import { BotType } from '#rules/role.ts'
import { startChat } from '../../test/harness.ts'
import { sized } from '../../test/size.ts'
import { findIntegration, integrations } from './catalogue.ts'
import type { Integration } from './integration.ts'

const file = path.resolve(import.meta.dirname, '../../../shared/reference/webhook-deliveries.json')
const absent = !existsSync(file) && `${file} is absent`

type RealDelivery = { integration: string; fixture: string; headers: Record<string, string>; body: string }

const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown

/** Values that are wrong almost everywhere. */
const wrongValues: readonly unknown[] = [
  null,
  0,
  -1.5,
  1e308,
  '',
  '@**all** [x](http://evil.example) `',
  'x'.repeat(20_000),
  true,
  [],
  [null],
  {},
  { __proto__: null, constructor: 1, toString: 2, length: 1e9 },
  deep(40),
  '\0\u2028\ud800',
  'constructor',
  '__proto__',
]

/** Returns the paths to all values in JSON, each as a list of keys; only the first two items of lists. */
function pathsIn(value: unknown, at: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...at]]
  const entries = Array.isArray(value) ? [...value.entries()].slice(0, 2) : Object.entries(value)
  return [[...at], ...entries.flatMap(([key, inner]) => pathsIn(inner, [...at, key]))]
}

/** Returns a copy of the JSON with another value at the path; without the value if it is undefined. */
function replaced(json: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value
  const copy = (Array.isArray(json) ? [...json] : { ...(json as object) }) as Record<string | number, unknown>
  if (rest.length === 0 && value === undefined) delete copy[key]
  else copy[key] = replaced(copy[key], rest, value)
  return copy
}

/** Handles a payload as a delivery would be. Fails if it causes anything but messages or a declared refusal. */
function handle(integration: Integration, payload: unknown, headers: Record<string, string>): void {
  const names = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  try {
    const messages = integration.toMessages(payload, {
      topic: undefined,
      header: (name) => names.get(name.toLowerCase()),
      param: () => undefined,
      wantsBranch: () => true,
      ignoresPrivate: true,
    })
    for (const { topic, content } of messages) {
      assert.equal(typeof topic, 'string')
      assert.equal(typeof content.markdown, 'string')
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

function readBody(integration: Integration, { headers, body }: RealDelivery): unknown {
  const fields = new Map<string, string>()
  if (headers['Content-Type']?.includes('urlencoded')) parseForm(body, fields, 0)
  return integration.read({ headers: {}, query: new Map(), body: fields, rawBody: Buffer.from(body) })
}

test('no value at any place of a real delivery makes an integration crash', { skip: absent }, () => {
  const deliveries = JSON.parse(readFileSync(file, 'utf8')) as RealDelivery[]
  const seen = new Set<string>()
  let turn = 0
  for (const delivery of deliveries) {
    const integration = findIntegration(delivery.integration)
    if (integration === null) continue
    const payload = readBody(integration, delivery)
    for (const at of pathsIn(payload)) {
      const place = `${delivery.integration} ${Object.values(delivery.headers).join()} ${at.join('.')}`
      if (seen.has(place) && sized(1, 0) === 1) continue
      seen.add(place)
      for (let count = 0; count < sized(1, wrongValues.length); count += 1) {
        const value = wrongValues[turn++ % wrongValues.length]
        try {
          handle(integration, replaced(payload, at, value), delivery.headers)
        } catch (error) {
          assert.fail(
            `${delivery.integration} ${delivery.fixture} ${at.join('.')} = ${JSON.stringify(value).slice(0, 50)}: ${(error as Error).stack}`,
          )
        }
      }
      handle(integration, replaced(payload, at, undefined), delivery.headers)
    }
  }
  assert.ok(turn > 1000)
})

const MEBIBYTE = 1024 * 1024

/** Bodies that no service sends. */
const hostileBodies: readonly (string | Buffer)[] = [
  '',
  '{',
  'null',
  '0',
  '"text"',
  '[]',
  '{}',
  '[[[]]]',
  '[null]',
  '{"__proto__": {"x": 1}}',
  '{"constructor": {"prototype": 1}}',
  'payload=',
  'payload=%7B',
  '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "b">]><a>&b;</a>',
  '<a>'.repeat(10_000),
  '['.repeat(200_000),
  `{"a":${'{"a":'.repeat(50_000)}`,
  JSON.stringify({ text: 'x'.repeat(900_000) }),
  JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${index}`, index]))),
  Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc0]),
  Buffer.alloc(1000),
]

test('any body to any integration gets a message or a clear refusal', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  await chat.channel('events', [ada])
  for (const { name, ...integration } of integrations) {
    const headers =
      'eventHeader' in integration ? { [String(integration.eventHeader)]: integration.eventNames[0] ?? 'x' } : {}
    for (const [index, body] of hostileBodies.entries())
      for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
        const { status } = await chat.request({
          method: 'POST',
          path: `/api/v1/external/${name}?api_key=${bot.apiKey}&stream=events`,
          headers: { host: 'parley.test', 'content-type': type, ...headers },
          body,
        })
        assert.ok([200, 400].includes(status), `${name}, body ${index}, ${type}: ${status}`)
      }
  }
})

test('a body of more than 1 MiB is refused', async () => {
  const chat = await startChat()
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: await chat.user('ada') })

  const { status } = await chat.request({
    method: 'POST',
    path: `/api/v1/external/json?api_key=${bot.apiKey}`,
    headers: { host: 'parley.test', 'content-type': 'application/json' },
    body: Buffer.alloc(MEBIBYTE + 1, ' '),
  })

  assert.equal(status, 413)
})
