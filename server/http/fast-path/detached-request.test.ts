import assert from 'node:assert/strict'
import { test } from 'node:test'
import { POLL, received, serveDeferred } from '../../../test/http/deferred-server.ts'
import { GET, responsesIn } from '../../../test/http/raw-client.ts'

for (const [what, half, arrived] of [
  ['a request that follows a waiting poll is not read before the poll is answered', '', 0],
  ['a poll with the first bytes of another request after it stays with node:http', 'GET /he', 1],
] as const) {
  test(what, async () => {
    await using server = await serveDeferred()
    const client = server.connect()
    client.send(POLL + half)
    const poll = await server.nextPoll()

    client.send(GET.slice(half.length) + POLL)
    await received(client)

    assert.equal(server.arrived.length, arrived)
    poll.answer('first\n')
    ;(await server.nextPoll()).answer('second\n')
    await client.until('second\n')
    client.socket.destroy()
  })
}

test('the response to the last request of a client that closed its side says that the connection closes', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const poll = await server.nextPoll()
  client.socket.end()
  await new Promise((resolve) => client.socket.once('finish', resolve))
  await received(client)

  poll.answer('late\n')

  assert.match(responsesIn(await client.all()).at(-1)?.head ?? '', /^connection: close$/im)
})
