import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bodiesUntil, POLL, type Poll, received, serveDeferred } from '../../../test/http/deferred-server.ts'
import { GET, responsesIn, serve } from '../../../test/http/raw-client.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { Deferred } from '../../platform/runtime/deferred.ts'
import type { BufferedResponse } from './http-types.ts'

test('a poll whose client is gone is given up', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const poll = await server.nextPoll()

  client.socket.resetAndDestroy()

  await poll.givenUp
  poll.answer('nobody reads this')
})

test('a poll whose client goes while it is judged is given up, too', async () => {
  const judged = Promise.withResolvers<void>()
  const givenUp = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const dispatch = async () => {
    begun.resolve()
    await judged.promise
    return new Deferred<BufferedResponse>({ giveUp: givenUp.resolve })
  }
  await using wire = await serve({ dispatch })
  const client = wire.connect()
  client.send(POLL)
  await begun.promise

  client.socket.resetAndDestroy()
  await received(client)
  judged.resolve()

  await givenUp.promise
})

test('one client that cannot be written to keeps no other from its answer', async () => {
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
  'that ends its connection': POLL.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
  'that ends its connection as some proxies say it': POLL.replace('\r\n\r\n', '\r\nProxy-Connection: close\r\n\r\n'),
  'of HTTP/1.0': POLL.replace('1.1', '1.0'),
})) {
  test(`a poll ${what} is answered, and its connection closed`, async () => {
    await using server = await serveDeferred()
    const client = server.connect()
    client.send(request)

    ;(await server.nextPoll()).answer('late\n')

    const [answer, ...others] = responsesIn(await client.all())
    assert.equal(answer?.body, 'late\n')
    assert.match(answer.head, /^connection: close$/im)
    assert.deepEqual(others, [])
  })
}

test('a client that closes its side while it waits gets its answers, and then the end', async () => {
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

test('a client that has closed its side before its poll waits gets the end with its answer', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL)
  const first = await server.nextPoll()
  client.socket.end(POLL)
  await new Promise((resolve) => client.socket.once('finish', resolve))
  await received(client)
  first.answer('early\n')

  ;(await server.nextPoll()).answer('late\n')

  const answers = responsesIn(await client.all())
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['early\n', 'late\n'],
  )
  assert.match(answers.at(-1)?.head ?? '', /^connection: close$/im)
})

test('closing answers those who wait, and says that the connection ends', async () => {
  let poll: Poll | undefined
  await using server = await serveDeferred({ onClose: () => poll?.answer('late\n') })
  const [waiting, idle] = [server.connect(), server.connect()]
  idle.send(POLL)
  ;(await server.nextPoll()).answer('early\n')
  await idle.until('early\n')
  waiting.send(POLL)
  poll = await server.nextPoll()

  await server.server.close()

  const [answer] = responsesIn(await waiting.all())
  assert.match(answer?.head ?? '', /^connection: close$/im)
  assert.equal(responsesIn(await idle.all()).length, 1)
})

test('a connection that idles after a poll is closed without a word', async () => {
  await using server = await serveDeferred({ timeouts: { keepAlive: 0.1 } })
  const client = server.connect()
  client.send(POLL)

  ;(await server.nextPoll()).answer('late\n')

  assert.equal(responsesIn(await client.all()).length, 1)
})

test('long answers arrive whole; who does not take theirs is cut', async () => {
  await using server = await serveDeferred()
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
  await sleep(1000)
  sleeper.socket.resume()
  await sleeper.all()
  assert.ok(sleeper.socket.bytesRead < 50_000_000)
  reader.socket.destroy()
})

test('a poll that fails is answered with its refusal, or without details', async () => {
  await using server = await serveDeferred()
  const client = server.connect()

  for (const error of [refusal('GONE', 410, 'It is gone')(), new Error('the secret cause')]) {
    client.send(POLL)
    ;(await server.nextPoll()).fail(error)
    await client.until('"code"')
  }

  const answers = responsesIn(await client.until('INTERNAL'))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [410, 500],
  )
  assert.doesNotMatch(JSON.stringify(answers), /secret/)
  client.socket.destroy()
})
