import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { credentials } from '../../../test/files.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Declares a body of 900,000 bytes, sends only `sent` bytes, and returns the first response. */
async function post(port: number, path: string, headers: Record<string, string>, sent: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('latin1')
  const lines = Object.entries({ host: 'parley.test', ...headers, 'content-length': '900000' })
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  socket.write(`content=${'a'.repeat(sent - 8)}`)
  let received = ''
  for await (const chunk of socket) {
    received += chunk
    if (received.endsWith('}\n')) break
  }
  socket.destroy()
  return received
}

test('a body of more than 64 KiB is read only with valid credentials', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const wrong = { ...credentials(ada), authorization: `Basic ${btoa(`${ada.email}:${'x'.repeat(32)}`)}` }

  const byNobody = await post(port, '/api/v1/messages', form, 70_000)
  const byWrongKey = await post(port, '/api/v1/messages', { ...form, ...wrong }, 70_000)
  const withoutSession = await post(port, '/json/messages', form, 70_000)
  const byAda = await post(port, '/api/v1/messages?api_key=unknown', { ...form, ...credentials(ada) }, 900_000)

  for (const response of [byNobody, byWrongKey, withoutSession]) {
    assert.match(response, /^HTTP\/1.1 401 /)
    assert.match(response, /^www-authenticate: /im)
    assert.match(response, /^connection: close$/im)
  }
  assert.match(byAda, /^HTTP\/1.1 400 .*REQUEST_VARIABLE_MISSING/s)
})

test('forms of pages, and endpoints without credentials, accept at most 64 KiB', async () => {
  const chat = await startChat()
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })

  for (const path of ['/login/', '/nowhere', '/api/v1/fetch_api_key'])
    assert.match(await post(port, path, {}, 10), /^HTTP\/1.1 413 .*limit: 65536 bytes/s, path)
})

const MEBIBYTE = 1024 * 1024

/** Bodies that are refused while they are parsed, by their types. */
const MALFORMED = {
  'multipart/form-data; boundary=x': `--x\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n`.repeat(1002),
  'application/x-www-form-urlencoded': 'a&'.repeat(1001),
  'application/vnd.parley+json': `{"a": ${'['.repeat(5000)}`,
}

function send(chat: Chat, type: string, body: string, person: Person | null = null) {
  const headers = { host: 'parley.test', ...(person !== null && credentials(person)), 'content-type': type }
  return chat.request({ method: 'POST', path: '/api/v1/messages', headers, body })
}

for (const [type, body] of Object.entries(MALFORMED))
  for (const [length, shown] of [
    [body.length, 'long'],
    [3000, 'short'],
  ] as const)
    test(`a ${shown} body of the type ${type} that cannot be parsed counts as a request of its user`, async () => {
      const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 3]] } })
      const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
      const text = type.startsWith('application/x-www') ? body : body.slice(0, length)

      const responses = []
      for (let count = 0; count < 5; count += 1) responses.push(await send(chat, type, text, ada))

      assert.deepEqual(
        responses.map(({ status }) => status),
        [400, 400, 400, 429, 429],
      )
      const { headers } = responses[3] as (typeof responses)[number]
      assert.deepEqual([headers['x-ratelimit-remaining'], headers['x-ratelimit-limit']], ['0', '3'])
      assert.ok(Number(headers['retry-after']) > 0)
      assert.equal((await ada.call('GET /users/me')).status, 429)
      assert.equal((await ben.call('GET /users/me')).status, 200)
    })

test('bodies without credentials are charged to the network, and then refused before they are parsed', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_WORK: 30 } })
  const ada = await chat.user('ada')
  const [[type, body] = ['', '']] = Object.entries(MALFORMED)

  const statuses = []
  for (let count = 0; count < 8; count += 1) statuses.push((await send(chat, type, body)).status)
  const wellFormed = await send(chat, 'application/x-www-form-urlencoded', `content=${'a'.repeat(60_000)}`)
  const byAda = await ada.call('GET /users/me')

  assert.deepEqual(statuses.slice(0, 2), [400, 400])
  assert.deepEqual(statuses.slice(-2), [429, 429])
  assert.deepEqual([wellFormed.status, byAda.status], [429, 200])
  await chat.clock.advance(60)
  assert.equal((await send(chat, type, body)).status, 400)
})

test('every long body costs work by its length, even if the endpoint ignores it', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const { workBudget } = chat.app.services

  const { status } = await send(chat, 'application/json', JSON.stringify('a'.repeat(500_000)), ada)

  assert.equal(status, 400)
  // With a budget of one unit a minute, the time to wait shows how much work was charged.
  const units = workBudget.secondsToWait(ada.id, 1, chat.clock.now()) / 60 - 2 / 3
  assert.ok(units > 500_000 / 32_768 && units < 18, String(units))
})

test('the body of a user who has used up their limits is not read', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 2]] } })
  const ada = await chat.user('ada')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  for (let count = 0; count < 2; count += 1) await ada.call('GET /users/me')

  const response = await post(port, '/api/v1/messages', credentials(ada), 10)

  assert.match(response, /^HTTP\/1.1 429 .*RATE_LIMIT_HIT/s)
  assert.match(response, /^x-ratelimit-remaining: 0$/im)
  assert.match(response, /^retry-after: [\d.]+$/im)
})

test('a request with too many parameters in its URL counts before its body is read', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 2]] } })
  const ada = await chat.user('ada')
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const path = `/api/v1/messages?${'a&'.repeat(1001)}`

  for (let count = 0; count < 2; count += 1)
    assert.match(await post(port, path, credentials(ada), 10), /^HTTP\/1.1 400 .*limit: 1000/s)

  assert.match(await post(port, path, credentials(ada), 10), /^HTTP\/1.1 429 /)
})

test('without rate limits refused bodies are not counted', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING_RULES: [[60, 1]] } })
  const ada = await chat.user('ada')
  const [[type, body] = ['', '']] = Object.entries(MALFORMED)

  for (let count = 0; count < 3; count += 1) assert.equal((await send(chat, type, body, ada)).status, 400)
})

/** All requests send these bytes, so that those which wait in this process take the memory of one body. */
const UNFINISHED_BODY = Buffer.alloc(MEBIBYTE - 100, 'a')

/** Begins a request with a body of nearly 1 MiB, of which the last bytes are missing. */
function beginBody(port: number, person: Person): Socket {
  const socket = connect({ port, host: '127.0.0.1' })
  const lines = Object.entries({ ...credentials(person), 'content-length': String(MEBIBYTE) })
  socket.write(
    `POST /api/v1/messages HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  socket.write(UNFINISHED_BODY)
  return socket.on('error', () => {}).resume()
}

const MAX_MEMORY = 60 * MEBIBYTE

/** Returns the bytes in buffers, once they are few: V8 returns the memory some time after a collection. */
async function heldMemory(): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    collectGarbage()
    const { arrayBuffers } = process.memoryUsage()
    if (arrayBuffers < MAX_MEMORY || tries === 100) return arrayBuffers
    await sleep(10)
  }
}

test('the unfinished bodies of one user take a few megabytes of memory, and are released with their connections', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const { bodyBudget } = chat.app.services

  const sockets = Array.from({ length: 130 }, () => beginBody(port, ada))
  while (bodyBudget.size < 8 * (MEBIBYTE - 100)) await sleep(10)
  const byBen = await post(port, '/api/v1/messages', { ...credentials(ben), 'content-type': 'text/plain' }, 900_000)
  const memory = await heldMemory()
  const size = bodyBudget.size
  for (const socket of sockets) socket.destroy()
  while (bodyBudget.size > 0) await sleep(10)

  assert.match(byBen, /^HTTP\/1.1 400 .*REQUEST_VARIABLE_MISSING/s)
  assert.ok(size <= 8 * MEBIBYTE, String(size))
  assert.ok(memory < MAX_MEMORY, String(memory))
})
