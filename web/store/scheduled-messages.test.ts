import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverEvent } from '../../test/web/server-event.ts'
import { type Reminder, remindersAfterEvent, type ScheduledMessage, scheduledAfterEvent } from './scheduled-messages.ts'

const scheduled = (id: number, at: number) =>
  ({ scheduled_message_id: id, scheduled_delivery_timestamp: at, content: `${id}` }) as ScheduledMessage
const eventOf = (op: string, fields: object) => serverEvent('scheduled_messages', { op, ...fields })
const ids = (messages: readonly ScheduledMessage[]) => messages.map((one) => one.scheduled_message_id)

test('scheduled messages are added, changed and removed, and stay in the order of their times', () => {
  const added = scheduledAfterEvent(
    [scheduled(1, 50)],
    eventOf('add', { scheduled_messages: [scheduled(2, 40), scheduled(3, 50)] }),
  )
  const changed = scheduledAfterEvent(added, eventOf('update', { scheduled_message: scheduled(2, 60) }))
  const left = scheduledAfterEvent(changed, eventOf('remove', { scheduled_message_id: 1 }))

  assert.deepEqual(
    [ids(added), ids(changed), ids(left)],
    [
      [2, 1, 3],
      [1, 3, 2],
      [3, 2],
    ],
  )
  assert.deepEqual(scheduledAfterEvent(left, eventOf('remove', { scheduled_message_id: 1 })), left)
})

test('a message that arrives twice is listed once', () => {
  const once = scheduledAfterEvent([], eventOf('add', { scheduled_messages: [scheduled(1, 50)] }))

  assert.deepEqual(scheduledAfterEvent(once, eventOf('add', { scheduled_messages: [scheduled(1, 50)] })), once)
})

test('a changed reminder, which is removed and added again, is listed once', () => {
  const reminder = (id: number, content: string) => ({ reminder_id: id, content }) as Reminder
  const event = (op: string, fields: object) => serverEvent('reminders', { op, ...fields })

  const removed = remindersAfterEvent([reminder(1, 'a'), reminder(2, 'b')], event('remove', { reminder_id: 1 }))
  const added = remindersAfterEvent(removed, event('add', { reminders: [reminder(1, 'c')] }))
  const again = remindersAfterEvent(added, event('add', { reminders: [reminder(1, 'c')] }))

  assert.deepEqual(removed, [reminder(2, 'b')])
  assert.deepEqual(added, [reminder(2, 'b'), reminder(1, 'c')])
  assert.deepEqual(again, added)
})
