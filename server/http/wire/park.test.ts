import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { collectLog } from '../../../test/collected-log.ts'
import { Late } from '../../base/late.ts'
import { refusal } from '../../base/refusal.ts'
import type { Exchange, ReadyAnswer, ReadyBody } from './exchange.ts'
import { answersIn, echo, FORM, GET, type RawClient, serve } from './raw-client.ts'
import type { HttpServerOptions } from './server.ts'

const POLL = 'GET /poll HTTP/1.1\r\nHost: localhost\r\n\r\n'

type Poll = { answer(body: ReadyBody): void; fail(error: unknown): void; readonly givenUp: Promise<void> }

/** A server that holds requests for /poll until they are answered, and echoes all others. */
async function serveLate(options: Partial<HttpServerOptions> = {}) {
  const arrived: Poll[] = []
  let wake = () => {}
  const hold = () => {
    const { promise: givenUp, resolve } = Promise.withResolvers<void>()
    const late = new Late<ReadyAnswer>(resolve)
    arrived.push({
      answer: (body) => late.settle(() => ({ status: 200, headers: { 'x-kind': 'late' }, body })),
      fail: (error) =>
        late.settle(() => {
          throw error
        }),
      givenUp,
    })
    wake()
    return late
  }
  const dispatch = async (exchange: Exchange) => {
    if (exchange.path === '/poll') return hold()
    return { ...echo(exchange), headers: { 'x-kind': 'ready' } }
  }
  const wire = await serve({ dispatch, ...options })
  /** The next that arrived, once whatever it brought along was received as well. */
  const nextPoll = async (): Promise<Poll> => {
    while (arrived.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    await new Promise(setImmediate)
    return arrived.shift() as Poll
  }
  return { ...wire, arrived, nextPoll, [Symbol.asyncDispose]: wire[Symbol.asyncDispose] }
}

/** The bodies that came until this text did. */
async function bodiesUntil(client: RawClient, text: string): Promise<string[]> {
  return answersIn(await client.until(text)).map(({ body }) => body)
}

/** Resolves when the server has read what was sent: it lies on this machine's loopback, and the loop has looked there. */
async function received({ socket }: RawClient): Promise<void> {
  if (socket.writable) await new Promise((resolve) => socket.write('', resolve))
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate)
}

test('polls on one connection are answered one after the other, between other requests', async () => {
  await using server = await serveLate()
  const client = server.dial()
  client.send(GET)
  await client.until('"/here"')

  for (const text of ['one', 'two', 'three']) {
    client.send(POLL)
    ;(await server.nextPoll()).answer(`${text}\n`)
    await client.until(`${text}\n`)
  }
  client.send(GET.replace('here', 'there'))

  const answers = answersIn(await client.until('"/there",'))
  const heads = answers.map(({ head }) => head.replace(/^(content-length|Date): .*$/gm, '$1').replace('late', 'ready'))
  assert.equal(answers.length, 5)
  assert.deepEqual(heads, Array(5).fill(heads[0]))
  client.socket.destroy()
})

test('what is sent along with a poll, before it or behind it, is answered in order', async () => {
  await using server = await serveLate()
  const client = server.dial()

  client.send(GET + POLL + FORM)
  const poll = await server.nextPoll()
  client.send('Content-Length: 3\r\n\r\na=1')
  poll.answer('late\n')

  const bodies = await bodiesUntil(client, '"/form"')
  assert.deepEqual(
    bodies.map((body) => /late|here|form/.exec(body)?.[0]),
    ['here', 'late', 'form'],
  )
  client.socket.destroy()
})

for (const [how, half] of Object.entries({ whole: '', 'in two halves': 'GET /he' })) {
  test(`what comes ${how} while a poll waits is answered after it`, async () => {
    await using server = await serveLate()
    const client = server.dial()
    client.send(POLL + half)
    const poll = await server.nextPoll()

    client.send(GET.slice(half.length) + POLL)
    await received(client)
    // Nobody reads what comes behind a parked request; the first bytes of one keep its connection from being parked.
    assert.equal(server.arrived.length, half === '' ? 0 : 1)
    poll.answer('first\n')
    await client.until('"/here"')
    ;(await server.nextPoll()).answer('second\n')

    const bodies = await bodiesUntil(client, 'second\n')
    assert.deepEqual(
      bodies.map((body) => /first|here|second/.exec(body)?.[0]),
      ['first', 'here', 'second'],
    )
    client.socket.destroy()
  })
}

test('a long request behind a poll is read when the poll is answered', async () => {
  await using server = await serveLate()
  const client = server.dial()
  client.send(POLL)
  const poll = await server.nextPoll()

  client.send(`${FORM}Content-Length: 500002\r\n\r\na=${'x'.repeat(500_000)}`)
  await received(client)
  poll.answer('late\n')

  const bodies = await bodiesUntil(client, 'xx"')
  assert.deepEqual(
    bodies.map((body) => body.length > 500_000),
    [false, true],
  )
  client.socket.destroy()
})

test('a poll whose client is gone is given up', async () => {
  await using server = await serveLate()
  const client = server.dial()
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
    return new Late<ReadyAnswer>(givenUp.resolve)
  }
  await using wire = await serve({ dispatch })
  const client = wire.dial()
  client.send(POLL)
  await begun.promise

  client.socket.resetAndDestroy()
  await received(client)
  judged.resolve()

  await givenUp.promise
})

test('what is logged of a poll is what is logged of any request', async () => {
  const { log, entries } = collectLog()
  await using server = await serveLate({ log })
  const client = server.dial()

  client.send(POLL)
  ;(await server.nextPoll()).answer('late\n')
  await client.until('late\n')
  client.send(GET)
  await client.until('"/here"')

  assert.deepEqual(
    entries.map(({ method, path, status }) => [method, path, status]),
    [
      ['GET', '/poll', 200],
      ['GET', '/here', 200],
    ],
  )
  assert.deepEqual(...(entries.map((entry) => Object.keys(entry)) as [string[], string[]]))
  client.socket.destroy()
})

test('one client that cannot be written to keeps no other from its answer', async () => {
  await using server = await serveLate()
  const [broken, whole] = [server.dial(), server.dial()]
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
  'of HTTP/1.0': POLL.replace('1.1', '1.0'),
})) {
  test(`a poll ${what} is answered, and its connection closed`, async () => {
    await using server = await serveLate()
    const client = server.dial()
    client.send(request)

    ;(await server.nextPoll()).answer('late\n')

    const [answer, ...others] = answersIn(await client.all())
    assert.equal(answer?.body, 'late\n')
    assert.match(answer.head, /^connection: close$/im)
    assert.deepEqual(others, [])
  })
}

test('HEAD waits as GET does, and is answered without the body', async () => {
  await using server = await serveLate()
  const client = server.dial()
  client.send(POLL.replace('GET', 'HEAD').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))

  ;(await server.nextPoll()).answer('late\n')

  const text = await client.all()
  assert.match(text, /^content-length: 5\r$/m)
  assert.ok(text.endsWith('\r\n\r\n'))
})

test('a client that closes its side while it waits gets its answers, and then the end', async () => {
  await using server = await serveLate()
  const [alone, more] = [server.dial(), server.dial()]
  for (const client of [alone, more]) {
    client.send(POLL)
    const poll = await server.nextPoll()

    client.socket.end(client === more ? GET : '')
    await new Promise((resolve) => client.socket.once('finish', resolve))
    await received(client)
    poll.answer('late\n')
  }

  assert.equal(answersIn(await alone.all()).length, 1)
  assert.equal(answersIn(await more.all()).length, 2)
})

test('a client that has closed its side before its poll waits gets the end with its answer', async () => {
  await using server = await serveLate()
  const client = server.dial()
  client.send(POLL)
  const first = await server.nextPoll()
  client.socket.end(POLL)
  await new Promise((resolve) => client.socket.once('finish', resolve))
  await received(client)
  first.answer('early\n')

  ;(await server.nextPoll()).answer('late\n')

  const answers = answersIn(await client.all())
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['early\n', 'late\n'],
  )
  assert.match(answers.at(-1)?.head ?? '', /^connection: close$/im)
})

test('closing answers those who wait, and says that the connection ends', async () => {
  let poll: Poll | undefined
  await using server = await serveLate({ onClose: () => poll?.answer('late\n') })
  const [waiting, idle] = [server.dial(), server.dial()]
  idle.send(POLL)
  ;(await server.nextPoll()).answer('early\n')
  await idle.until('early\n')
  waiting.send(POLL)
  poll = await server.nextPoll()

  await server.server.close()

  const [answer] = answersIn(await waiting.all())
  assert.match(answer?.head ?? '', /^connection: close$/im)
  assert.equal(answersIn(await idle.all()).length, 1)
})

test('a connection that idles after a poll is closed without a word', async () => {
  await using server = await serveLate({ timeouts: { keepAlive: 0.1 } })
  const client = server.dial()
  client.send(POLL)

  ;(await server.nextPoll()).answer('late\n')

  assert.equal(answersIn(await client.all()).length, 1)
})

test('long answers arrive whole; who does not take theirs is cut', async () => {
  await using server = await serveLate()
  const pieces = [Buffer.from('a'.repeat(3_000_000)), Buffer.from('b\n')]
  const [reader, sleeper] = [server.dial(), server.dial()]
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
  await using server = await serveLate()
  const client = server.dial()

  for (const error of [refusal('GONE', 410, 'It is gone')(), new Error('the secret cause')]) {
    client.send(POLL)
    ;(await server.nextPoll()).fail(error)
    await client.until('"code"')
  }

  const answers = answersIn(await client.until('INTERNAL'))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [410, 500],
  )
  assert.doesNotMatch(JSON.stringify(answers), /secret/)
  client.socket.destroy()
})
