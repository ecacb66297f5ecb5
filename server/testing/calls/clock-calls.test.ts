import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/scenarios/server.ts'

const server = await startServer()

test('advancing the clock does the work that becomes due, such as sending a scheduled message', async () => {
  const now = await server.freeze()
  const { alice, bob } = await server.world()
  const direct = { type: 'direct', to: [bob.id], content: 'hi' }
  await alice.succeed('POST /scheduled_messages', { ...direct, scheduled_delivery_timestamp: now + 600 })

  await server.advance(599)
  const early = await bob.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })
  await server.advance(1)
  const later = await bob.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })

  assert.deepEqual(early.messages, [])
  assert.partialDeepStrictEqual(later.messages, [{ content: '<p>hi</p>', timestamp: now + 600 }])
})

test('emails about missed messages are sent when the clock is moved past their time', async () => {
  const { alice, bob } = await server.world()
  await alice.succeed('POST /messages', { type: 'direct', to: [bob.id], content: 'hello' })
  const before = await server.mail()

  await server.testing('POST /testing/clock', { advance: 120 })

  assert.deepEqual(before, [])
  const [mail] = await server.mail(bob.email)
  assert.deepEqual([mail?.to, mail?.subject], [[bob.email], `Direct messages with ${alice.name}`])
})

test('concurrent calls advance the clock one after another', async () => {
  const now = await server.freeze()
  await server.world()

  await Promise.all([1, 2, 3].map(() => server.advance(100_000)))

  assert.deepEqual(await server.testing('GET /testing/clock'), {
    result: 'success',
    msg: '',
    now: now + 300_000,
    frozen: true,
  })
})

for (const [title, turnBack] of [
  ['a reset', () => server.testing('POST /testing/reset')],
  ['the clock was set back', (now: number) => server.testing('POST /testing/clock', { set: now })],
] as const)
  test(`hourly work continues after ${title}`, async () => {
    const now = await server.freeze()
    await server.advance(30 * 86_400)
    await turnBack(now)
    const { alice } = await server.world({ settings: { message_retention_days: 1 } })
    await alice.succeed('POST /messages', { type: 'stream', to: 'pub', topic: 'lunch', content: 'hi' })

    await server.advance(2 * 86_400)

    const { messages } = await alice.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })
    assert.deepEqual(messages, [])
  })
