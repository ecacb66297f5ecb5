import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverEvent } from '../../../test/web/server-event.ts'
import { channelsAfterEvent, channelsAfterSubscription, type OwnSubscriptionEvent } from './channel-events.ts'

type Channels = Parameters<typeof channelsAfterEvent>[0]

const channel = (stream_id: number, name: string) => ({ stream_id, name, description: '', invite_only: false })

const before = {
  subscriptions: [{ ...channel(1, 'design'), color: '#5b8def', is_muted: false }],
  unsubscribed: [{ ...channel(2, 'engines'), color: '#e07a5f', is_muted: true }],
  never_subscribed: [channel(3, 'random')],
} as unknown as Channels

const streamEvent = (fields: object) => serverEvent('stream', fields)

const subscriptionEvent = (fields: object) => serverEvent('subscription', fields) as OwnSubscriptionEvent

const idsOf = (channels: Channels | null) =>
  channels && Object.values(channels).map((list) => list.map(({ stream_id }) => stream_id))

test('a new channel is one that the user has never subscribed to, even if its id was known', () => {
  const created = streamEvent({ op: 'create', streams: [channel(2, 'engines'), channel(4, 'new')] })

  assert.deepEqual(idsOf(channelsAfterEvent(before, created)), [[1], [], [3, 2, 4]])
})

test('a deleted channel disappears from all lists', () => {
  const deleted = streamEvent({ op: 'delete', stream_ids: [1, 3] })

  assert.deepEqual(idsOf(channelsAfterEvent(before, deleted)), [[], [2], []])
})

test('a changed property changes in all lists, with the properties that follow from it', () => {
  const update = { op: 'update', stream_id: 2, name: 'engines' }

  const renamed = channelsAfterEvent(before, streamEvent({ ...update, property: 'name', value: 'motors' }))
  const closed = channelsAfterEvent(
    before,
    streamEvent({ ...update, property: 'invite_only', value: true, history_public_to_subscribers: false }),
  )

  assert.deepEqual(renamed?.unsubscribed[0], { ...before.unsubscribed[0], name: 'motors' })
  assert.deepEqual(closed?.unsubscribed[0], {
    ...before.unsubscribed[0],
    invite_only: true,
    history_public_to_subscribers: false,
  })
  assert.deepEqual(renamed?.subscriptions, before.subscriptions)
})

test('a subscription moves the channel to that list; unsubscribing keeps the personal settings', () => {
  const subscription = { ...channel(3, 'random'), color: '#4fa37f' }

  const added = channelsAfterSubscription(before, subscriptionEvent({ op: 'add', subscriptions: [subscription] }))
  const removed = channelsAfterSubscription(
    before,
    subscriptionEvent({ op: 'remove', subscriptions: [{ stream_id: 1, name: 'design' }] }),
  )

  assert.deepEqual(idsOf(added), [[1, 3], [2], []])
  assert.deepEqual(idsOf(removed), [[], [2, 1], [3]])
  assert.deepEqual(removed?.unsubscribed[1], before.subscriptions[0])
})

test('a personal setting of a channel changes', () => {
  const event = subscriptionEvent({ op: 'update', stream_id: 1, property: 'is_muted', value: true })

  assert.equal(channelsAfterSubscription(before, event)?.subscriptions[0]?.is_muted, true)
})

test('an unknown operation is reported as such', () => {
  assert.equal(channelsAfterSubscription(before, subscriptionEvent({ op: 'renumber' })), null)
  assert.equal(channelsAfterEvent(before, streamEvent({ op: 'renumber' })), null)
})
