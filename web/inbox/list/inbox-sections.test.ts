import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationRef } from '../../messages/narrow.ts'
import { conversationKey, countUnread, type UnreadConversation } from '../../messages/unread.ts'
import type { Subscription } from '../../store/organization.ts'
import type { ConversationFilter } from './conversation-filter.ts'
import { type InboxState, inboxSections } from './inbox-sections.ts'

const channel = (stream_id: number, name: string) =>
  ({ stream_id, name, is_archived: false, pin_to_top: false }) as Subscription
const topic = (channelId: number, name: string): ConversationRef => ({ kind: 'topic', channelId, topic: name })

const unread: UnreadConversation[] = [
  { conversation: topic(1, 'tea'), ids: [3, 9] },
  { conversation: topic(1, 'noise'), ids: [4] },
  { conversation: topic(1, 'cake'), ids: [12] },
  { conversation: topic(2, 'muted, with a mention'), ids: [5] },
  { conversation: { kind: 'direct', people: [7] }, ids: [1] },
]
const isMuted = (channelId: number, name: string) => channelId === 2 || name === 'noise'
const state: InboxState = {
  unread,
  facts: {
    counts: countUnread(
      {
        conversations: new Map(unread.map((one) => [conversationKey(one.conversation), one])),
        mentions: new Set([5]),
      },
      () => true,
      isMuted,
    ),
    isFollowed: (ref) => ref.kind === 'topic' && ref.topic === 'cake',
    isParticipant: (ref) => ref.kind === 'direct' || ref.topic === 'tea',
    nameOf: (ref) => (ref.kind === 'direct' ? 'Ada Lovelace' : `kitchen ${ref.topic}`),
  },
  subscriptions: [channel(2, 'board'), channel(1, 'kitchen')],
  isMuted,
}

const shown = (filter: ConversationFilter, text = '') =>
  inboxSections(state, filter, text).map((section) => [
    section.channel?.name ?? 'direct',
    section.conversations.map(({ ids }) => ids.at(-1)),
  ])

test('the inbox shows direct messages, then channels by name with their newest topics first, muted ones with mentions', () => {
  assert.deepEqual(shown('unread'), [
    ['direct', [1]],
    ['board', [5]],
    ['kitchen', [12, 9]],
  ])
})

test('a filter leaves the conversations that match it', () => {
  assert.deepEqual(shown('mentions'), [['board', [5]]])
  assert.deepEqual(shown('direct'), [['direct', [1]]])
  assert.deepEqual(shown('followed'), [['kitchen', [12]]])
  assert.deepEqual(shown('participated'), [
    ['direct', [1]],
    ['kitchen', [9]],
  ])
  assert.deepEqual(shown(1), [['kitchen', [12, 9]]])
})

test('typed words leave the conversations whose names contain them, together with the filter', () => {
  assert.deepEqual(shown('unread', 'lovelace ADA'), [['direct', [1]]])
  assert.deepEqual(shown('unread', 'kitchen ca'), [['kitchen', [12]]])
  assert.deepEqual(shown('direct', 'cake'), [])
})
