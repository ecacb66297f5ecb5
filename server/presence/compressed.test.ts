import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type Person, startChat } from '../../test/harness.ts'

const PEOPLE = 60

/** Starts a server with many reported presences. Returns a function that fetches all of them as bytes. */
async function startCrowd() {
  const chat = await startChat()
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, at) => chat.user(`person${at}`)))
  for (const person of people) await person.succeed('POST /users/me/presence', { status: 'idle', ping_only: true })
  const [ada] = people as [Person]
  const authorization = `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`
  const fetch = (encoding?: string) =>
    chat.request({
      method: 'GET',
      path: '/api/v1/realm/presence?unknown=1',
      headers: { authorization, host: 'parley.test', ...(encoding !== undefined && { 'accept-encoding': encoding }) },
    })
  return { chat, ada, fetch }
}

type Fetched = { headers: Record<string, unknown>; bytes: Buffer }

const events = ({ headers }: Fetched) => [headers['content-encoding'], headers['vary'], headers['cache-control']]

test('clients that accept gzip get repeated responses compressed, with the same content', async () => {
  const { fetch } = await startCrowd()

  const plain = await fetch()
  const first = await fetch('gzip, deflate, br')
  for (let time = 2; time <= 3; time += 1) await fetch('gzip')
  const fourth = await fetch('gzip, deflate, br')
  const other = await fetch('gzip;q=0, br')

  for (const one of [plain, first, other])
    assert.deepEqual(events(one), [undefined, 'accept-encoding', 'private, no-store'])
  assert.deepEqual(events(fourth), ['gzip', 'accept-encoding', 'private, no-store'])
  assert.equal(fourth.headers['content-length'], String(fourth.bytes.length))
  assert(fourth.bytes.length < plain.bytes.length / 5)
  assert.deepEqual([first.body, other.body, gunzipSync(fourth.bytes).toString()], Array(3).fill(plain.body))
  const { presences, ignored_parameters_unsupported } = JSON.parse(plain.body)
  assert.deepEqual([Object.keys(presences).length, ignored_parameters_unsupported], [PEOPLE, ['unknown']])
})

test('the next response contains a change, and not the entry that it replaces', async () => {
  const { chat, ada, fetch } = await startCrowd()
  for (let time = 1; time <= 4; time += 1) assert.equal(events(await fetch('gzip'))[0], time === 4 ? 'gzip' : undefined)
  await chat.clock.advance(60)
  await ada.succeed('POST /users/me/presence', { status: 'active', ping_only: true })

  const fresh = await fetch('gzip')
  for (let time = 2; time <= 3; time += 1) await fetch('gzip')
  const compressed = await fetch('gzip')

  assert.deepEqual([events(fresh)[0], events(compressed)[0]], [undefined, 'gzip'])
  const text = gunzipSync(compressed.bytes).toString()
  assert.equal(text, fresh.body)
  assert.equal(text.split('"aggregated"').length - 1, PEOPLE)
  assert.equal(JSON.parse(text).presences[ada.email].website.timestamp, chat.clock.now())
})
