import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../test/scenarios/server.ts'

const server = await startServer()

test('what time makes due has happened when the clock was turned: a scheduled message has come', async () => {
  const now = await server.freeze()
  const { alice, bob } = await server.world()
  const direct = { type: 'direct', to: [bob.id], content: 'hi' }
  await alice.do('POST /scheduled_messages', { ...direct, scheduled_delivery_timestamp: now + 600 })

  await server.advance(599)
  const early = await bob.do('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })
  await server.advance(1)
  const later = await bob.do('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })

  assert.deepEqual(early.messages, [])
  assert.partialDeepStrictEqual(later.messages, [{ content: '<p>hi</p>', timestamp: now + 600 }])
})

test('mail about missed messages is there when the clock was moved past its time', async () => {
  const { alice, bob } = await server.world()
  await alice.do('POST /messages', { type: 'direct', to: [bob.id], content: 'hello' })
  const before = await server.mail()

  await server.testing('POST /testing/clock', { advance: 120 })

  assert.deepEqual(before, [])
  const [mail] = await server.mail(bob.email)
  assert.deepEqual([mail?.to, mail?.subject], [[bob.email], `DMs with ${alice.name}`])
})
