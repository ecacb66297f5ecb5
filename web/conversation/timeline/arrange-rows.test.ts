import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../messages/message.ts'
import { arrangeRows } from './arrange-rows.ts'

const NOON = Date.UTC(2030, 0, 5, 12) / 1000

const message = (id: number, seconds: number, given: Partial<Message> = {}): Message =>
  ({
    id,
    timestamp: NOON + seconds,
    sender_id: 1,
    sender_full_name: 'Ada',
    type: 'stream',
    stream_id: 7,
    recipient_id: 9,
    subject: 'lunch',
    is_me_message: false,
    ...given,
  }) as Message

const groupedIds = (messages: Message[], firstUnreadId: number | null = null) =>
  arrangeRows(messages, firstUnreadId).flatMap(({ message, isGrouped }) => (isGrouped ? [message.id] : []))

test('messages of one sender within ten minutes form a group', () => {
  const messages = [message(1, 0), message(2, 600), message(3, 1201), message(4, 1202, { sender_id: 2 })]

  assert.deepEqual(groupedIds(messages), [2])
})

test('a group ends at the first unread message, at another topic, at a new day and at /me', () => {
  const messages = [
    message(1, 0),
    message(2, 10),
    message(3, 20, { subject: 'dinner' }),
    message(4, 30, { subject: 'Dinner' }),
    message(5, 40, { subject: 'dinner', is_me_message: true }),
    message(6, 50, { subject: 'dinner' }),
    message(7, 60, { subject: 'dinner' }),
  ]

  assert.deepEqual(groupedIds(messages, 2), [4, 7])
  assert.deepEqual(groupedIds([message(1, 0), message(2, 86_400)]), [])
})

test('a conversation starts anew each day, and after messages of another one', () => {
  const rows = arrangeRows(
    [message(1, 0), message(2, 5), message(3, 10, { subject: 'dinner' }), message(4, 86_410, { subject: 'dinner' })],
    null,
  )

  assert.deepEqual(
    rows.map(({ startsDay, startsConversation }) => [startsDay, startsConversation]),
    [
      [true, true],
      [false, false],
      [false, true],
      [true, true],
    ],
  )
})
