import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusal, echo, FORM, type RawClient, serve } from '../../../test/http/raw-client.ts'
import type { HttpRequest } from '../http-types.ts'

/** The time limit of a body in these tests, in seconds. */
const BODY = 0.2

const MEBIBYTE = 1024 * 1024

/** Sends these bytes every 20 ms until the connection closes. */
function drip({ socket }: RawClient, bytes: string): void {
  const timer = setInterval(() => socket.writable && socket.write(bytes), 20)
  socket.once('close', () => clearInterval(timer))
  socket.once('end', () => clearInterval(timer))
}

test('a body of up to 1 MiB that is not complete in time is refused, even if it arrives steadily', async () => {
  await using server = await serve({ timeouts: { body: BODY, stall: 10 } })
  const client = server.connect()

  client.send(`${FORM}Content-Length: 1000000\r\n\r\n`)
  drip(client, 'a'.repeat(5000))

  assertRefusal(await client.until('}\n'), 408, 'REQUEST_TIMEOUT')
  client.socket.destroy()
})

test('a larger body may take longer if it arrives fast enough, and is refused otherwise', async () => {
  await using server = await serve({ timeouts: { body: BODY, stall: 10 }, bodyLimit: () => 5 * MEBIBYTE })
  const [fast, slow] = [server.connect(), server.connect()]

  fast.send(`${FORM}Content-Length: 200000\r\n\r\n`)
  slow.send(`${FORM}Content-Length: 200000\r\n\r\n`)
  fast.send('a'.repeat(100_000))
  drip(slow, 'a')
  // The slow one is refused when both have taken longer than BODY.
  assertRefusal(await slow.until('}\n'), 408, 'REQUEST_TIMEOUT')
  fast.send('a'.repeat(100_000))

  assert.match(await fast.until('}\n'), /^HTTP\/1.1 200 OK/)
  for (const client of [fast, slow]) client.socket.destroy()
})

test('files that are read while they arrive may take longer if they arrive fast enough', async () => {
  const dispatch = async (request: HttpRequest) => {
    for await (const _piece of request.incomingFiles?.read(5 * MEBIBYTE) ?? []);
    return echo(request)
  }
  await using server = await serve({ timeouts: { body: BODY, stall: 10 }, readsFiles: () => true, dispatch })
  const [fast, slow] = [server.connect(), server.connect()]
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n'
  const start = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n'
  const end = '\r\n--x--\r\n'

  for (const client of [fast, slow])
    client.send(`${head}Content-Length: ${start.length + 200_000 + end.length}\r\n\r\n${start}`)
  fast.send('a'.repeat(100_000))
  drip(slow, 'a')
  assertRefusal(await slow.until('}\n'), 408, 'REQUEST_TIMEOUT')
  fast.send(`${'a'.repeat(100_000)}${end}`)

  assert.match(await fast.until('}\n'), /^HTTP\/1.1 200 OK/)
  for (const client of [fast, slow]) client.socket.destroy()
})
