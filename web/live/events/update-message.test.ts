import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { serverEvent } from '../../../test/web/server-event.ts'
import type { Message } from '../../messages/message.ts'
import type { Timeline } from '../../messages/timeline.ts'
import { addTopic, channelTopics, onTopicMoved } from '../../messages/topics.ts'
import { NOTHING_UNREAD, unreadStore, updateUnread } from '../../messages/unread.ts'
import { currentOrganization, type Organization, setOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { applyDeletion, applyMessage, applyMessageFlags, applyMessageUpdate } from './message-events.ts'

const [OWN, OTHER] = [1, 2]
const topic = { kind: 'topic', channelId: 7, topic: 'tea' } as const
const moves: unknown[] = []
onTopicMoved((from, to, isOwn) => moves.push([from.topic, to.topic, isOwn]))
afterEach(() => {
  moves.length = 0
  queryClient.clear()
})

function load(ids: number[], ends: { hasOldest: boolean; hasNewest: boolean }): void {
  const messages = ids.map((id) => ({ id, subject: 'tea', stream_id: 7, type: 'stream', flags: ['read'] }))
  queryClient.setQueryData<Timeline>(['messages', topic, 'newest'], {
    messages: messages as unknown as Message[],
    ...ends,
  })
}

const move = (message_ids: number[], propagate_mode: string) =>
  applyMessageUpdate(
    serverEvent('update_message', {
      user_id: OTHER,
      message_id: message_ids[0],
      message_ids,
      stream_id: 7,
      orig_subject: 'tea',
      subject: 'coffee',
      propagate_mode,
      flags: ['read'],
    }),
    OWN,
    () => undefined,
  )

const WHOLE = [['tea', 'coffee', false]]

test('a topic of which all loaded messages are moved has not moved while others may be left in it', () => {
  load([5, 6], { hasOldest: false, hasNewest: true })
  move([5, 6], 'change_later')
  load([5, 6], { hasOldest: true, hasNewest: false })
  move([5, 6], 'change_one')
  load([5, 6], { hasOldest: true, hasNewest: true })
  move([6], 'change_later')

  assert.deepEqual(moves, [])
})

test('a topic has moved if no messages are left in it, or if the whole topic was moved', () => {
  const emitted: unknown[] = []
  const moveOf = (ids: number[], mode: string, ends: { hasOldest: boolean; hasNewest: boolean }) => {
    load([5, 6], ends)
    move(ids, mode)
    emitted.push(moves.splice(0))
  }

  moveOf([5, 6], 'change_later', { hasOldest: true, hasNewest: true })
  moveOf([5, 6, 7], 'change_later', { hasOldest: true, hasNewest: false })
  moveOf([3, 4, 5, 6, 7], 'change_all', { hasOldest: false, hasNewest: false })

  assert.deepEqual(emitted, [WHOLE, WHOLE, WHOLE])
})

test('a list of topics is loaded again after a move, even if a notice of the move arrives first', () => {
  const { queryKey } = channelTopics(7)
  queryClient.setQueryData(queryKey, [
    { name: 'tea', max_id: 6 },
    { name: 'coffee', max_id: 4 },
  ])

  move([5, 6], 'change_all')
  addTopic(7, 'coffee', 9)

  assert.deepEqual(queryClient.getQueryData(queryKey)?.[0], { name: 'coffee', max_id: 9 })
  assert.equal(queryClient.getQueryState(queryKey)?.isInvalidated, true)
})

test('a topic that is not loaded has moved only if all of it was moved', () => {
  move([5, 6], 'change_later')
  assert.deepEqual(moves, [])

  move([5, 6], 'change_all')
  assert.deepEqual(moves, WHOLE)
})

test('a message that loses its star leaves the starred messages, and no other timeline', () => {
  const starred = { kind: 'starred' } as const
  const keyOf = (narrow: object) => ['messages', narrow, 'newest']
  const idsIn = (narrow: object) => queryClient.getQueryData<Timeline>(keyOf(narrow))?.messages.map(({ id }) => id)
  load([5, 6], { hasOldest: true, hasNewest: true })
  queryClient.setQueryData(keyOf(starred), queryClient.getQueryData(keyOf(topic)))

  const event = { op: 'remove', flag: 'starred', messages: [5], all: false }
  applyMessageFlags(serverEvent('update_message_flags', event), OWN)

  assert.deepEqual([idsIn(topic), idsIn(starred)], [[5, 6], [6]])
})

test('a deleted message no longer counts as starred', () => {
  setOrganization({ user_id: OWN, starred_messages: [5, 6] } as unknown as Organization)

  applyDeletion(serverEvent('delete_message', { message_ids: [5], message_type: 'stream', stream_id: 7, topic: 'tea' }))

  assert.deepEqual(currentOrganization()?.starred_messages, [6])
})

test('a message that is unread again counts as a mention if it mentions the user', (context) => {
  context.after(() => updateUnread(() => NOTHING_UNREAD))
  const inTea = { type: 'stream', stream_id: 7, topic: 'tea' }
  const message_details = { 5: { ...inTea, mentioned: true }, 6: inTea }
  const event = { op: 'remove', flag: 'read', messages: [5, 6], all: false, message_details }

  applyMessageFlags(serverEvent('update_message_flags', event), OWN)

  assert.deepEqual([...unreadStore.get().mentions], [5])
})

test('a notice about what the user did is marked as read on the server, other notices are not', async (context) => {
  const BOT = 3
  const marked: unknown[] = []
  context.mock.timers.enable({ apis: ['setTimeout'] })
  Object.assign(globalThis, { document: { querySelector: () => null } })
  context.after(() => Reflect.deleteProperty(globalThis, 'document'))
  context.mock.method(globalThis, 'fetch', async (_: string, { body }: { body: URLSearchParams }) => {
    marked.push(body.get('messages'))
    return Response.json({ result: 'success' })
  })
  setOrganization({ user_id: OWN, cross_realm_bots: [{ user_id: BOT }] } as unknown as Organization)
  const receive = (id: number, sender_id: number, mentioned: number, flags: string[] = []) => {
    const content = `<p><span class="user-mention silent" data-user-id="${mentioned}">x</span> did it</p>`
    const topicMessage = { type: 'stream', stream_id: 7, subject: 'tea', reactions: [], submessages: [] }
    applyMessage(serverEvent('message', { message: { ...topicMessage, id, sender_id, content }, flags }), OWN)
  }

  receive(11, BOT, OTHER)
  receive(12, BOT, OWN, ['read'])
  receive(13, OTHER, OWN)
  receive(14, BOT, OWN)
  context.mock.timers.tick(500)

  assert.deepEqual(marked, ['[14]'])
})
