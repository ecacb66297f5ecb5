import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../../test/collected-log.ts'
import { bodiesUntil, POLL, received, serveDeferred } from '../../../test/http/deferred-server.ts'
import { FORM, GET, responsesIn } from '../../../test/http/raw-client.ts'

test('polls and other requests on one connection are answered in order', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(GET)
  await client.until('"/here"')

  for (const text of ['one', 'two', 'three']) {
    client.send(POLL)
    ;(await server.nextPoll()).answer(`${text}\n`)
    await client.until(`${text}\n`)
  }
  client.send(GET.replace('here', 'there'))

  const responses = responsesIn(await client.until('"/there",'))
  const heads = responses.map(({ head }) =>
    head.replace(/^(content-length|Date): .*$/gm, '$1').replace('late', 'ready'),
  )
  assert.equal(responses.length, 5)
  assert.deepEqual(heads, Array(5).fill(heads[0]))
  client.socket.destroy()
})

test('requests sent before and after a poll are answered in order', async () => {
  await using server = await serveDeferred()
  const client = server.connect()

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
  test(`a request that arrives ${how} while a poll waits is answered after it`, async () => {
    await using server = await serveDeferred()
    const client = server.connect()
    client.send(POLL + half)
    const poll = await server.nextPoll()

    client.send(GET.slice(half.length) + POLL)
    await received(client)
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

test('a long request after a poll is answered after it', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
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

test('malformed bytes after a poll are refused after its response', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(`${POLL}NONSENSE\r\n\r\n`)

  ;(await server.nextPoll()).answer('late\n')

  const responses = responsesIn(await client.all())
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 400],
  )
})

test('a poll is logged like any request', async () => {
  const { log, entries } = collectLog()
  await using server = await serveDeferred({ log })
  const client = server.connect()

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

test('HEAD waits like GET, and gets a response without a body', async () => {
  await using server = await serveDeferred()
  const client = server.connect()
  client.send(POLL.replace('GET', 'HEAD').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))

  ;(await server.nextPoll()).answer('late\n')

  const text = await client.all()
  assert.match(text, /^content-length: 5\r$/m)
  assert.ok(text.endsWith('\r\n\r\n'))
})
