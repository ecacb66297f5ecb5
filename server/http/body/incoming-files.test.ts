import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { echo, serve } from '../../../test/http/raw-client.ts'
import type { HttpRequest } from '../http-types.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MEBIBYTE = 1024 * 1024

test('the chunks of a file that arrives are not kept in memory', async () => {
  const half = Promise.withResolvers<void>()
  const dispatch = async (request: HttpRequest) => {
    let length = 0
    for await (const piece of request.incomingFiles?.read(40 * MEBIBYTE) ?? []) {
      if (Buffer.isBuffer(piece)) length += piece.length
      if (length >= 19 * MEBIBYTE) half.resolve()
    }
    return echo(request)
  }
  await using server = await serve({ readsFiles: () => true, dispatch })
  const client = server.connect()
  const start = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n'
  const end = '\r\n--x--\r\n'
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers

  client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n')
  client.send(`Content-Length: ${start.length + 20 * MEBIBYTE + 10 + end.length}\r\n\r\n${start}`)
  for (let count = 0; count < 20; count += 1)
    await new Promise<void>((resolve) => client.socket.write(Buffer.alloc(MEBIBYTE), () => resolve()))
  await half.promise
  const held = await leastHeld(before)
  client.send(`${'a'.repeat(10)}${end}`)

  assert.match(await client.until('}\n'), /^HTTP\/1.1 200 OK/)
  assert.ok(held < 4 * MEBIBYTE, `${held} bytes`)
  client.socket.destroy()
})

/** Returns the bytes in buffers beyond `before`, once they are few: V8 returns the memory some time after a collection. */
async function leastHeld(before: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < 100 && least >= 4 * MEBIBYTE; count += 1) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 10))
    least = Math.min(least, process.memoryUsage().arrayBuffers - before)
  }
  return least
}
