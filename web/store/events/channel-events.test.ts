import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelsAfterEvent, channelsAfterSubscription } from './channel-events.ts'

type Channels = Parameters<typeof channelsAfterEvent>[0]

const channel = (stream_id: number, name: string) => ({ stream_id, name, description: '', invite_only: false })

const known = {
  subscriptions: [{ ...channel(1, 'design'), color: '#5b8def', is_muted: false }],
  unsubscribed: [{ ...channel(2, 'engines'), color: '#e07a5f', is_muted: true }],
  never_subscribed: [channel(3, 'random')],
} as unknown as Channels

const idsOf = (channels: Channels | null) =>
  channels && Object.values(channels).map((list) => list.map(({ stream_id }) => stream_id))

test('a channel that is made is one that one was never in, whatever was known of it', () => {
  const made = channelsAfterEvent(known, { op: 'create', streams: [channel(2, 'engines'), channel(4, 'new')] })

  assert.deepEqual(idsOf(made), [[1], [], [3, 2, 4]])
})

test('a channel that is gone is gone wherever it stood', () => {
  assert.deepEqual(idsOf(channelsAfterEvent(known, { op: 'delete', stream_ids: [1, 3] })), [[], [2], []])
})

test('what changes of a channel changes wherever it stands, with what follows from it', () => {
  const event = { type: 'stream', id: 9, op: 'update', stream_id: 2, name: 'engines' }

  const renamed = channelsAfterEvent(known, { ...event, property: 'name', value: 'motors' })
  const closed = channelsAfterEvent(known, {
    ...event,
    property: 'invite_only',
    value: true,
    history_public_to_subscribers: false,
  })

  assert.deepEqual(renamed?.unsubscribed[0], { ...known.unsubscribed[0], name: 'motors' })
  assert.deepEqual(closed?.unsubscribed[0], {
    ...known.unsubscribed[0],
    invite_only: true,
    history_public_to_subscribers: false,
  })
  assert.deepEqual(renamed?.subscriptions, known.subscriptions)
})

test('who joins a channel is in it alone, and who leaves it keeps what they had set for it', () => {
  const joined = { ...channel(3, 'random'), color: '#4fa37f' }

  const after = channelsAfterSubscription(known, { op: 'add', subscriptions: [joined] })
  const left = channelsAfterSubscription(known, { op: 'remove', subscriptions: [{ stream_id: 1, name: 'design' }] })

  assert.deepEqual(idsOf(after), [[1, 3], [2], []])
  assert.deepEqual(idsOf(left), [[], [2, 1], [3]])
  assert.deepEqual(left?.unsubscribed[1], known.subscriptions[0])
})

test('what one sets for a channel is known, and an operation of tomorrow is said to be unknown', () => {
  const muted = channelsAfterSubscription(known, { op: 'update', stream_id: 1, property: 'is_muted', value: true })

  assert.equal(muted?.subscriptions[0]?.is_muted, true)
  assert.equal(channelsAfterSubscription(known, { op: 'renumber' }), null)
  assert.equal(channelsAfterEvent(known, { op: 'renumber' }), null)
})
