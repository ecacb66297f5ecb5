import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ScheduledMessage, scheduledAfterEvent } from './scheduled-messages.ts'

const waiting = (id: number, at: number) =>
  ({ scheduled_message_id: id, scheduled_delivery_timestamp: at, content: `${id}` }) as ScheduledMessage
const eventOf = (op: string, rest: object) => ({ type: 'scheduled_messages', op, ...rest })
const ids = (messages: readonly ScheduledMessage[]) => messages.map((one) => one.scheduled_message_id)

test('what waits is added, changed and taken away, and what is due first stands first', () => {
  const added = scheduledAfterEvent(
    [waiting(1, 50)],
    eventOf('add', { scheduled_messages: [waiting(2, 40), waiting(3, 50)] }),
  )
  const changed = scheduledAfterEvent(added, eventOf('update', { scheduled_message: waiting(2, 60) }))
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

test('what is eventOf twice is there once', () => {
  const once = scheduledAfterEvent([], eventOf('add', { scheduled_messages: [waiting(1, 50)] }))

  assert.deepEqual(scheduledAfterEvent(once, eventOf('add', { scheduled_messages: [waiting(1, 50)] })), once)
})
