import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverEvent } from '../../test/web/server-event.ts'
import { type ScheduledMessage, scheduledAfterEvent } from './scheduled-messages.ts'

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
