import { passesNarrow } from '../queues/narrow.ts'
import type { EventQueue, LoggedEvent, Payload, QueueForm } from '../queues/queue.ts'
import { shapeDeletion } from './deletion.ts'
import { shapeLegacySetting } from './legacy-settings.ts'
import { shapeLinkifiers } from './linkifiers.ts'
import { shapeMessage } from './message.ts'
import { shapeMessageFlags } from './message-flags.ts'
import { shapeMessageUpdate } from './message-update.ts'
import { shapePresence } from './presence.ts'
import { shapeReaction } from './reaction.ts'
import { shapeStream } from './stream.ts'
import { shapeSubscription } from './subscription.ts'
import { shapeEditTyping, shapeTyping } from './typing.ts'
import { shapeUser } from './user.ts'
import { shapeUserGroup } from './user-group.ts'
import { shapeMutedTopics, shapeUserTopic } from './user-topic.ts'

/** What a queue of this form is told of an event. */
type Shape = (payload: Payload, form: QueueForm) => Payload | readonly Payload[]

const shapes: Readonly<Record<string, Shape>> = {
  delete_message: shapeDeletion,
  message: shapeMessage,
  muted_topics: shapeMutedTopics,
  presence: shapePresence,
  reaction: shapeReaction,
  realm_linkifiers: shapeLinkifiers,
  realm_user: shapeUser,
  stream: shapeStream,
  subscription: shapeSubscription,
  typing: shapeTyping,
  typing_edit_message: shapeEditTyping,
  update_display_settings: shapeLegacySetting,
  update_global_notifications: shapeLegacySetting,
  update_message: shapeMessageUpdate,
  update_message_flags: shapeMessageFlags,
  user_group: shapeUserGroup,
  user_status: shapeReaction,
  user_topic: shapeUserTopic,
}

/** An event as JSON, in the forms that were asked for so far: made once for each kind of client. */
const made = new WeakMap<LoggedEvent, Map<QueueForm, string>>()

/**
 * The event as the queue's client reads it: JSON objects joined by commas, '' when it is not for this queue. The few
 * that one queue alone gets (the echo of what it sent) are made for it.
 */
export function shapeEvent(event: LoggedEvent, queue: EventQueue): string {
  if (!isFor(event, queue)) return ''
  if (event.payload['local_queue_id'] !== undefined) return shapeEcho(event, queue)
  let forms = made.get(event)
  if (forms === undefined) {
    forms = new Map()
    made.set(event, forms)
  }
  let json = forms.get(queue.form)
  if (json === undefined) {
    json = write(event, queue.form)
    forms.set(queue.form, json)
  }
  return json
}

function isFor({ audience, payload, type }: LoggedEvent, { userId, form }: EventQueue): boolean {
  if (!audience.has(userId)) return false
  // Somebody may have another queue, which hears of subscribed channels alone.
  if (payload['all_public'] === true && !form.allPublicChannels) return false
  if (form.eventTypes !== null && !form.eventTypes.includes(type)) return false
  // Who asks for `user_topic` by its name is told more by that.
  if (type === 'muted_topics' && form.eventTypes?.includes('user_topic')) return false
  return type !== 'message' || form.narrow.length === 0 || passesNarrow(payload, form.narrow, userId)
}

function write(event: LoggedEvent, form: QueueForm): string {
  const shape = shapes[event.type] ?? ((payload: Payload) => payload)
  const shaped = shape(event.payload, form)
  const events = Array.isArray(shaped) ? (shaped as readonly Payload[]) : [shaped as Payload]
  return events.map((fields) => JSON.stringify({ ...fields, id: event.id })).join()
}

/** What the sender of a message sent along comes back to the queue that they named, and to no other. */
function shapeEcho(event: LoggedEvent, queue: EventQueue): string {
  const { local_queue_id, local_message_id, ...payload } = event.payload
  const echo = local_queue_id === queue.id ? { local_message_id } : {}
  return write({ ...event, payload: { ...payload, ...echo } }, queue.form)
}
