import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deferred } from '#lib/deferred.ts'
import { refusal } from '#lib/errors.ts'
import { bodiesUntil, POLL, type Poll, received, serveDeferred } from '../../../test/http/deferred-server.ts'
import { GET, responsesIn, SHORT_TIMEOUTS, serve, untilCut } from '../../../test/http/raw-client.ts'
import type { BufferedResponse } from '../http-types.ts'

test('a poll is canceled when its client disconnects', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const poll = await server.nextPoll()

  client.socket.resetAndDestroy()

  await poll.givenUp
  poll.answer('never read')
})

test('a poll is canceled when its client disconnects while it is being handled', async () => {
  const handled = Promise.withResolvers<void>()
  const givenUp = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dispatch = async () => {
    begun.resolve()
    await handled.promise
    return new Deferred<BufferedResponse>({ giveUp: givenUp.resolve })
  }
  await using server = await serve({ dispatch })
  const client = server.connect()
  client.send(POLL)
  await begun.promise

  client.socket.resetAndDestroy()
  await received(client)
  handled.resolve()

  await givenUp.promise
})

test('a client with a broken connection does not keep others from getting their responses', async () => {
  await using server = await serveDeferred()
  const [broken, whole] = [server.connect(), server.connect()]
  broken.send(POLL)
  const first = await server.nextPoll()
  whole.send(POLL)
  const second = await server.nextPoll()

  broken.socket.resetAndDestroy()
  for (const poll of [first, second]) poll.answer('late\n')

  assert.deepEqual(await bodiesUntil(whole, 'late\n'), ['late\n'])
  whole.socket.destroy()
})

for (const [what, request] of Object.entries({
  'with `Connection: close`': POLL.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  'with `Proxy-Connection: close`': POLL.replace('\r\n\r\n', '\r\nProxy-Connection: close\r\n\r\n'),
  'of HTTP/1.0': POLL.replace('1.1', '1.0'),
})) {
  test(`the connection of a poll ${what} closes after the response`, async () => {
    await using server = await serveDeferred()
    const client = server.connect()
    client.send(request)

    ;(await server.nextPoll()).answer('late\n')

    const [response, ...others] = responsesIn(await client.all())
    assert.equal(response?.body, 'late\n')
    assert.match(response.head, /^connection: close$/im)
    assert.deepEqual(others, [])
  })
}

test('a client that closes its side while it waits gets its responses before the connection closes', async () => {
  await using server = await serveDeferred()
  const [alone, more] = [server.connect(), server.connect()]
  for (const client of [alone, more]) {
    client.send(POLL)
    const poll = await server.nextPoll()

    client.socket.end(client === more ? GET : '')
    await new Promise((resolve) => client.socket.once('finish', resolve))
    await received(client)
    poll.answer('late\n')
  }

  assert.equal(responsesIn(await alone.all()).length, 1)
  assert.equal(responsesIn(await more.all()).length, 2)
})

test('a client that closed its side before its poll waits gets the response', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const first = await server.nextPoll()
  client.socket.end(POLL)
  await new Promise((resolve) => client.socket.once('finish', resolve))
  await received(client)
  first.answer('early\n')

  ;(await server.nextPoll()).answer('late\n')

  const responses = responsesIn(await client.all())
  assert.deepEqual(
    responses.map(({ body }) => body),
    ['early\n', 'late\n'],
  )
})

test('a closing server answers the polls that wait, and announces that the connection closes', async () => {
  let poll: Poll | undefined
  await using server = await serveDeferred({ onClose: () => poll?.answer('late\n') })
  const [waiting, idle] = [server.connect(), server.connect()]
  idle.send(POLL)
  ;(await server.nextPoll()).answer('early\n')
  await idle.until('early\n')
  waiting.send(POLL)
  poll = await server.nextPoll()

  await server.server.close()

  const [response] = responsesIn(await waiting.all())
  assert.match(response?.head ?? '', /^connection: close$/im)
  assert.equal(responsesIn(await idle.all()).length, 1)
})

test('a connection that is idle after a poll is closed silently', async () => {
  await using server = await serveDeferred({ timeouts: { keepAlive: 0.1 } })
  const client = server.connect()
  client.send(POLL)

  ;(await server.nextPoll()).answer('late\n')

  assert.equal(responsesIn(await client.all()).length, 1)
})

test('long responses arrive completely, and the connection of a client that does not read is closed', async () => {
  await using server = await serveDeferred({ timeouts: SHORT_TIMEOUTS })
  const pieces = [Buffer.from('a'.repeat(3_000_000)), Buffer.from('b\n')]
  const [reader, sleeper] = [server.connect(), server.connect()]
  reader.send(POLL)
  const read = await server.nextPoll()
  sleeper.socket.pause()
  sleeper.send(POLL)
  const missed = await server.nextPoll()

  read.answer(pieces)
  missed.answer('c'.repeat(50_000_000))

  assert.deepEqual(await bodiesUntil(reader, 'b\n'), [Buffer.concat(pieces).toString()])
  await untilCut(sleeper)
  sleeper.socket.resume()
  await sleeper.all()
  assert.ok(sleeper.socket.bytesRead < 50_000_000)
  reader.socket.destroy()
})

test('a poll that fails gets its refusal, or a response without details', async () => {
  await using server = await serveDeferred()
  const client = server.connect()

  for (const error of [refusal('GONE', 410, 'It is gone')(), new Error('the secret cause')]) {
    client.send(POLL)
    ;(await server.nextPoll()).fail(error)
    await client.until('"code"')
  }

  const responses = responsesIn(await client.until('INTERNAL'))
  assert.deepEqual(
    responses.map(({ status }) => status),
    [410, 500],
  )
  assert.doesNotMatch(JSON.stringify(responses), /secret/)
  client.socket.destroy()
})
