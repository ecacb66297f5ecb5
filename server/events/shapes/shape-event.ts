import type { EmittedEvent } from '#storage/storage.ts'
import { passesNarrow } from '../queues/narrow.ts'
import type { EventQueue, LoggedEvent, Payload, QueueForm } from '../queues/queue.ts'
import { shapeChannel, shapeMutedTopics, shapeSubscription, shapeUserTopic } from './channel-shapes.ts'
import {
  shapeDeletion,
  shapeEditTyping,
  shapeMessage,
  shapeMessageFlags,
  shapeMessageUpdate,
  shapeReaction,
  shapeTyping,
} from './message-shapes.ts'
import {
  shapeDisplaySetting,
  shapeExports,
  shapeLinkifiers,
  shapeNotificationSetting,
  shapePresence,
  shapeRealm,
  shapeStatus,
  shapeUser,
  shapeUserGroup,
  shapeUserSetting,
} from './people-shapes.ts'
import type { Shape } from './shape.ts'

/** The shapes by event type. Events of other types are the same for all clients. */
const shapes: { readonly [Type in EmittedEvent['type']]?: Shape<Type> } = {
  delete_message: shapeDeletion,
  message: shapeMessage,
  muted_topics: shapeMutedTopics,
  presence: shapePresence,
  reaction: shapeReaction,
  realm: shapeRealm,
  realm_export: shapeExports,
  realm_linkifiers: shapeLinkifiers,
  realm_user: shapeUser,
  stream: shapeChannel,
  subscription: shapeSubscription,
  typing: shapeTyping,
  typing_edit_message: shapeEditTyping,
  update_display_settings: shapeDisplaySetting,
  update_global_notifications: shapeNotificationSetting,
  update_message: shapeMessageUpdate,
  update_message_flags: shapeMessageFlags,
  user_group: shapeUserGroup,
  user_settings: shapeUserSetting,
  user_status: shapeStatus,
  user_topic: shapeUserTopic,
}

/** The JSON of events by form, so that each event is written once for each kind of client. */
const writtenJson = new WeakMap<LoggedEvent, Map<QueueForm, string>>()

/**
 * Returns the event as the queue's client receives it: JSON objects joined by commas, or '' if the event is not for
 * this queue. A message with a local id is serialized for each queue separately, because only one queue receives that
 * id.
 */
export function shapeEvent(event: LoggedEvent, queue: EventQueue): string {
  if (!isFor(event, queue)) return ''
  if (event.payload['local_queue_id'] !== undefined) return writeEcho(event, queue)
  let byForm = writtenJson.get(event)
  if (byForm === undefined) {
    byForm = new Map()
    writtenJson.set(event, byForm)
  }
  let json = byForm.get(queue.form)
  if (json === undefined) {
    json = write(event, queue.form)
    byForm.set(queue.form, json)
  }
  return json
}

function isFor({ audience, payload, type }: LoggedEvent, { userId, form }: EventQueue): boolean {
  if (!audience.has(userId)) return false
  // The same user may have another queue without `all_public_streams`.
  if (payload['all_public'] === true && !form.allPublicChannels) return false
  if (form.eventTypes !== null && !form.eventTypes.includes(type)) return false
  // Clients that name `user_topic` receive the same change in an event of that type.
  if (type === 'muted_topics' && form.eventTypes?.includes('user_topic')) return false
  return type !== 'message' || form.narrow.length === 0 || passesNarrow(payload, form.narrow, userId)
}

function write(event: LoggedEvent, form: QueueForm): string {
  const shape = (shapes as Readonly<Record<string, Shape<string> | undefined>>)[event.type]
  const shaped: Payload | readonly Payload[] = shape === undefined ? event.payload : shape(event.payload as never, form)
  const events: readonly Payload[] = Array.isArray(shaped) ? shaped : [shaped]
  return events.map((fields) => JSON.stringify({ ...fields, id: event.id })).join()
}

/**
 * Serializes a message with its `local_message_id` for the queue that the sender named, and without it for all other
 * queues.
 */
function writeEcho(event: LoggedEvent, queue: EventQueue): string {
  const { local_queue_id, local_message_id, ...payload } = event.payload
  const echo = local_queue_id === queue.id ? { local_message_id } : {}
  return write({ ...event, payload: { ...payload, ...echo } }, queue.form)
}
