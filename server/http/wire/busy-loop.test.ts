import assert from 'node:assert/strict'
import { test } from 'node:test'
import { received } from '../../../test/http/deferred-server.ts'
import { FORM, GET, serve } from '../../../test/http/raw-client.ts'

/** Seconds that the server waits for the rest of a request. A busy machine does not pause this process for as long. */
const PATIENCE = 2

/** Blocks the event loop for longer than the server waits. The server runs in this process. */
function keepBusy(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE * 1250)
}

for (const [what, first, rest] of [
  ['a request', '', GET],
  ['the rest of the headers', GET.slice(0, 20), GET.slice(20)],
  ['the rest of a body', `${FORM}Content-Length: 6\r\n\r\na=`, '1234'],
] as const)
  test(`${what} that arrived while the server was busy is not refused as late`, async () => {
    await using server = await serve({ timeouts: { headers: PATIENCE, stall: PATIENCE } })
    const client = server.connect()
    await new Promise((resolve) => client.socket.once('connect', resolve))
    if (first !== '') client.send(first)
    await received(client)

    client.send(rest)
    keepBusy()

    assert.match(await client.until('}\n'), /^HTTP\/1.1 200 OK/)
    client.socket.destroy()
  })
