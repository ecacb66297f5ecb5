import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { GET, responsesIn, serve } from '../../../test/http/raw-client.ts'

/** The timeout of an idle connection in seconds, longer than any test. */
const LONG = { lastRequest: 30 }

const LISTENERS = '/proc/net/tcp'
const LIMIT = '/proc/sys/net/core/somaxconn'

/** True if the system shows how many connections wait to be accepted, and lets a thousand of them wait. */
const isKnown = existsSync(LISTENERS) && existsSync(LIMIT) && Number(readFileSync(LIMIT, 'utf8')) >= 1000

/**
 * Waits until `count` connections wait to be accepted at a port, for 10 s at most, and returns their number. The event
 * loop is blocked meanwhile, so that this process accepts none.
 */
function waitForConnections(port: number, count: number): number {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0')
  const line = new RegExp(`:${hexadecimal} 00000000:0000 0A [0-9A-F]{8}:([0-9A-F]{8})`)
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let times = 0; ; times += 1) {
    const waiting = Number.parseInt(line.exec(readFileSync(LISTENERS, 'utf8'))?.[1] ?? '', 16)
    if (waiting >= count || times === 1000) return waiting
    Atomics.wait(pause, 0, 0, 10)
  }
}

/** Lets the server run for some turns of the event loop. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
}

for (const [reader, answersWhole] of [
  ['node:http', false],
  ['the fast path', true],
] as const)
  test(`one more request on a connection that ${reader} reads is answered while the server closes`, async () => {
    await using rawServer = await serve({ timeouts: LONG, answersInMemory: () => answersWhole })
    const client = rawServer.connect()
    for (let count = 1; count <= 3; count += 1) {
      client.send(GET.replace('/here', `/${count}`))
      await client.until(`"/${count}"`)
    }

    const closed = rawServer.server.close()
    await someTurns()
    client.send(GET.replace('/here', '/last'))

    const responses = responsesIn(await client.all())
    await closed
    assert.equal(responses.length, 4)
    assert.match(responses[3]?.body ?? '', /"\/last"/)
    assert.match(responses[3]?.head ?? '', /^connection: close$/im)
  })

test('a request that arrives while a closing server is busy is answered, even if its connection was idle', async () => {
  const lastRequest = 0.2
  await using rawServer = await serve({ timeouts: { lastRequest } })
  const client = rawServer.connect()
  client.send(GET)
  await client.until('"/here"')

  const closed = rawServer.server.close()
  client.send(GET.replace('/here', '/last'))
  // The event loop runs timers before it reads.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastRequest * 1000 + 50)

  const responses = responsesIn(await client.all())
  await closed
  assert.equal(responses.length, 2)
})

test('connections that wait to be accepted when the server closes are accepted and answered', {
  skip: !isKnown,
}, async () => {
  await using rawServer = await serve({ timeouts: LONG })
  const clients = Array.from({ length: 20 }, () => rawServer.connect())
  for (const client of clients) client.send(GET)
  await new Promise<void>((resolve) => process.nextTick(resolve))
  waitForConnections(rawServer.port, clients.length)

  const closed = rawServer.server.close()

  for (const client of clients) {
    const [response] = responsesIn(await client.all())
    assert.equal(response?.status, 200)
    assert.match(response.head, /^connection: close$/im)
  }
  await closed
})

test('a connection that sends nothing is closed soon after the server begins to close', async () => {
  await using rawServer = await serve()
  const client = rawServer.connect()
  client.send(GET)
  await client.until('"/here"')

  await rawServer.server.close()

  assert.equal(responsesIn(await client.all()).length, 1)
})

test('a thousand clients may connect before the server accepts the first of them', { skip: !isKnown }, async () => {
  await using server = await serve()

  const sockets = Array.from({ length: 1000 }, () => connect({ port: server.port, host: '127.0.0.1' }))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  const waiting = waitForConnections(server.port, sockets.length)
  for (const socket of sockets) socket.on('error', () => {}).destroy()

  assert.equal(waiting, 1000)
})
