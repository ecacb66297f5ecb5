import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createNodeServer } from '../wire/node-server.ts'
import { detach } from './detached-request.ts'

type Received = { request: IncomingMessage; response: ServerResponse }

/** Opens a server and a client; `next` returns the next request that the server receives. */
async function open(context: TestContext) {
  const waiting: ((received: Received) => void)[] = []
  const server: Server = createNodeServer({}, (request, response) => waiting.shift()?.({ request, response }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  context.after(() => {
    client.destroy()
    server.close()
  })
  const next = () => new Promise<Received>((resolve) => waiting.push(resolve))
  return { server, client, next }
}

/** Resolves when everything that was sent with the request has arrived as well. */
async function whole(received: Promise<Received>): Promise<Received> {
  const found = await received
  await new Promise(setImmediate)
  return found
}

const textOf = (client: Socket) =>
  new Promise<string>((resolve) => client.once('data', (text) => resolve(String(text))))

const GET = 'GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('node:http keeps nothing of a detached connection, and reads it again once it is given back', async (context) => {
  const { server, client, next } = await open(context)
  for (const path of ['/one', '/two', '/three']) {
    const received = next()
    client.write(GET.replace('/one', path))
    const { request, response } = await whole(received)
    const { socket } = request

    assert.equal(detach(socket, response), true)

    assert.equal(request.url, path)
    assert.deepEqual(socket.eventNames(), [])
    assert.equal(response.socket, null)
    for (const name of ['parser', '_httpMessage']) assert.equal(Reflect.get(socket, name), null)
    assert.equal(socket.destroyed, false)
    const text = textOf(client)
    socket.write(path)
    assert.equal(await text, path)
    server.emit('connection', socket)
  }
})

test('a connection is not detached when anything has arrived after its request', async (context) => {
  for (const following of ['G', 'GET /two HTTP/1.1\r\nHost: l']) {
    const { client, next } = await open(context)
    const received = next()
    client.write(GET + following)
    const { request, response } = await whole(received)

    assert.equal(detach(request.socket, response), false)

    const text = textOf(client)
    response.end('answered')
    assert.match(await text, /answered/)
  }
})

test('a connection is not detached before its request has ended, or after its response has begun', async (context) => {
  const { client, next } = await open(context)
  const received = next()
  client.write(`${GET.replace('GET', 'POST').trimEnd()}\r\nContent-Length: 3\r\n\r\na=`)
  const { request, response } = await whole(received)

  const isDetachedEarly = detach(request.socket, response)
  request.resume()
  const ended = new Promise((resolve) => request.once('end', resolve))
  client.write('1')
  await ended
  response.write('begun')
  const isDetachedLate = detach(request.socket, response)

  assert.deepEqual([isDetachedEarly, isDetachedLate], [false, false])
})
