import { hash } from 'node:crypto'
import { withInheritedNotifications } from '#channels/subscriptions.ts'
import { displayTopic } from '#channels/topic.ts'
import { ownUserSettings } from '#people/user-settings.ts'
import { ownSettings } from '#realms/realm-settings.ts'
import type { EmittedEvent, EmittedOfType } from '#storage/storage.ts'
import { toReferenceExport } from '#transfer/data-exports.ts'
import type { SentOfType } from './catalogue.ts'
import type { EventQueue, LoggedEvent, Payload, QueueForm } from './queues/event-queue.ts'
import { passesNarrow } from './queues/narrow.ts'

// The forms of events for different clients. The log holds each event once, with everything that any client needs;
// here it is reduced to what the capabilities of a queue ask for, or left out.

/** Converts an event of the log into the events that clients with this form receive: one, several or none. */
type Shape<Type> = (payload: EmittedOfType<Type>, form: QueueForm) => SentOfType<Type> | readonly SentOfType<Type>[]

/**
 * Returns the message in the form that the client supports: with HTML or Markdown, with or without the avatar, and with
 * the name of the empty topic.
 */
const shapeMessage: Shape<'message'> = (payload, form) => {
  const { rendered_content, message, all_public, local_queue_id, ...event } = payload
  const { avatar_url, sender_email } = message
  const isComputed = form.computesGravatar && isComputableAvatar(avatar_url, sender_email)
  return {
    ...event,
    message: {
      ...message,
      avatar_url: isComputed ? null : avatar_url,
      ...(form.appliesMarkdown && { content: rendered_content, content_type: 'text/html' }),
      ...(message.type === 'stream' && { subject: displayTopic(message.subject, form.allowsEmptyTopic) }),
    },
  }
}

const GRAVATAR_PREFIX = 'https://secure.gravatar.com/avatar/'

/**
 * Returns true if a client can compute the avatar URL from the email address. Such an address is visible to everyone.
 */
function isComputableAvatar(avatarUrl: string | null, email: string): boolean {
  if (avatarUrl === null) return true
  if (!avatarUrl.startsWith(GRAVATAR_PREFIX)) return false
  const digest = hash('md5', email.toLowerCase())
  return avatarUrl.startsWith(`${GRAVATAR_PREFIX}${digest}?`)
}

const shapeMessageUpdate: Shape<'update_message'> = (payload, form) => {
  const { subject, orig_subject } = payload
  return {
    ...payload,
    ...(subject !== undefined && { subject: displayTopic(subject, form.allowsEmptyTopic) }),
    ...(orig_subject !== undefined && { orig_subject: displayTopic(orig_subject, form.allowsEmptyTopic) }),
  }
}

/** Leaves out messages in archived channels for clients that do not know such channels. */
const shapeMessageFlags: Shape<'update_message_flags'> = (payload, form) => {
  if (payload.op === 'add' || payload.message_details === undefined) return payload
  const details = Object.entries(payload.message_details).filter(
    ([, detail]) => form.takesArchivedChannels || !detail.is_archived,
  )
  if (details.length === 0) return []
  const shown = details.map(([id, { is_archived: _, ...detail }]) => [
    id,
    detail.topic === undefined ? detail : { ...detail, topic: displayTopic(detail.topic, form.allowsEmptyTopic) },
  ])
  return { ...payload, messages: details.map(([id]) => Number(id)), message_details: Object.fromEntries(shown) }
}

/**
 * Returns one event for all messages. Clients that do not support lists of messages receive one event for each message.
 */
const shapeDeletion: Shape<'delete_message'> = ({ message_ids, message_id: _, ...where }, form) => {
  const shown = {
    ...where,
    ...(where.topic !== undefined && { topic: displayTopic(where.topic, form.allowsEmptyTopic) }),
  }
  return form.takesBulkDeletions
    ? { ...shown, message_ids }
    : message_ids.map((message_id) => ({ ...shown, message_id }))
}

/** Gives the server's own emoji the type name that the client knows. */
const shapeReaction: Shape<'reaction'> = (payload, form) =>
  payload.reaction_type === 'service_extra_emoji' ? { ...payload, reaction_type: form.extraEmojiType } : payload

/** Leaves out typing events of channels for clients that cannot show them. */
const shapeTyping: Shape<'typing'> = (payload, form) => {
  const { topic } = payload
  if (topic === undefined) return payload
  return form.takesStreamTyping ? { ...payload, topic: displayTopic(topic, form.allowsEmptyTopic) } : []
}

const shapeEditTyping: Shape<'typing_edit_message'> = (payload, form) => {
  const { recipient } = payload
  if (recipient.type === 'direct') return payload
  return { ...payload, recipient: { ...recipient, topic: displayTopic(recipient.topic, form.allowsEmptyTopic) } }
}

/**
 * For clients that do not know archived channels, archiving a channel deletes it, and unarchiving creates it again.
 * They receive no events about the channel in between.
 */
const shapeChannel: Shape<'stream'> = (payload, form) => {
  switch (payload.op) {
    case 'create': {
      if (form.takesArchivedChannels) return payload
      const streams = payload.streams.filter((channel) => !channel.is_archived)
      return streams.length === 0 ? [] : { ...payload, streams }
    }
    case 'update': {
      const { is_archived: isArchived, restored, ...event } = payload
      if (form.takesArchivedChannels) return event
      if (restored !== undefined) return { type: 'stream', op: 'create', streams: [restored] }
      if (isArchived) return []
      const { property, value, stream_id } = event
      if (property !== 'is_archived' || value !== true) return event
      return { type: 'stream', op: 'delete', streams: [{ stream_id }], stream_ids: [stream_id] }
    }
    default:
      return payload
  }
}

/**
 * Leaves out archived channels for clients that do not support them, and events about restored channels for clients
 * that already have those channels. For clients that do not support unset notification settings, replaces these with
 * the user's own settings.
 */
const shapeSubscription: Shape<'subscription'> = (payload, form) => {
  switch (payload.op) {
    case 'add': {
      const { inherited, is_restored: isRestored, ...event } = payload
      if (isRestored && form.takesArchivedChannels) return []
      const subscriptions = event.subscriptions.filter((channel) => form.takesArchivedChannels || !channel.is_archived)
      if (subscriptions.length === 0) return []
      if (form.takesUnsetNotifications) return { ...event, subscriptions }
      return { ...event, subscriptions: subscriptions.map((one) => withInheritedNotifications(one, inherited)) }
    }
    case 'update': {
      const { is_archived: isArchived, ...event } = payload
      return isArchived && !form.takesArchivedChannels ? [] : event
    }
    case 'peer_add': {
      const { is_restored: isRestored, ...event } = payload
      return isRestored && form.takesArchivedChannels ? [] : event
    }
    default:
      return payload
  }
}

const shapeUserTopic: Shape<'user_topic'> = (payload, form) => ({
  ...payload,
  topic_name: displayTopic(payload.topic_name, form.allowsEmptyTopic),
})

const shapeMutedTopics: Shape<'muted_topics'> = (payload, form) => ({
  ...payload,
  muted_topics: payload.muted_topics.map(([channel, topic, time]) => [
    channel,
    displayTopic(topic, form.allowsEmptyTopic),
    time,
  ]),
})

/** Leaves out accounts that the recipients cannot see, for clients that do not need them. */
const shapeUser: Shape<'realm_user'> = (payload, form) => {
  if (payload.op !== 'add') return payload
  const { is_unknown: isUnknown, ...event } = payload
  return isUnknown && form.omitsUnknownUsers ? [] : event
}

/** Gives the server's own emoji the type name that the client knows. */
const shapeStatus: Shape<'user_status'> = (payload, form) =>
  payload.reaction_type === 'service_extra_emoji' ? { ...payload, reaction_type: form.extraEmojiType } : payload

/** Leaves out the email address for clients that asked for the slim form, which identifies users by id alone. */
const shapePresence: Shape<'presence'> = (payload, form) => {
  if (!form.hasSlimPresence) return payload
  const { email: _, ...slim } = payload
  return slim
}

/** Reports the deactivation of a group as its removal to clients that do not know deactivated groups. */
const shapeUserGroup: Shape<'user_group'> = (payload, form) => {
  if (payload.op === 'add') {
    const { is_back: isBack, ...event } = payload
    // Clients that know deactivated groups still have the group.
    return isBack && form.includesDeactivatedGroups ? [] : event
  }
  if (form.includesDeactivatedGroups || payload.op !== 'update' || payload.data.deactivated !== true) return payload
  return { type: 'user_group', op: 'remove', group_id: payload.group_id }
}

/** Leaves out linkifiers for clients that do not know URL templates. */
const shapeLinkifiers: Shape<'realm_linkifiers'> = (payload, form) => (form.takesLinkifierTemplates ? payload : [])

/** Leaves out the event for clients that know `user_settings`, because another event tells them about the change. */
const shapeDisplaySetting: Shape<'update_display_settings'> = (payload, form) => (form.takesUserSettings ? [] : payload)

/** Leaves out the event for clients that know `user_settings`, because another event tells them about the change. */
const shapeNotificationSetting: Shape<'update_global_notifications'> = (payload, form) =>
  form.takesUserSettings ? [] : payload

/** Leaves out settings that only this server has, for clients that do not accept them. */
const shapeUserSetting: Shape<'user_settings'> = (payload, form) =>
  ownUserSettings.has(payload.property) && !form.takesExtensions ? [] : payload

/** Leaves out settings that only this server has, for clients that do not accept them. */
const shapeDefaultSetting: Shape<'realm_user_settings_defaults'> = (payload, form) =>
  ownUserSettings.has(payload.property) && !form.takesExtensions ? [] : payload

/** Leaves out settings that only this server has, for clients that do not accept them. */
const shapeRealm: Shape<'realm'> = (payload, form) => {
  if (form.takesExtensions) return payload
  if (payload.op === 'update') return ownSettings.has(payload.property) ? [] : payload
  if (payload.op !== 'update_dict' || !Object.keys(payload.data).some((name) => ownSettings.has(name))) return payload
  const known = Object.entries(payload.data).filter(([name]) => !ownSettings.has(name))
  return known.length > 0 ? { ...payload, data: Object.fromEntries(known) } : []
}

/** Leaves out the sizes of exports for clients that do not accept them. */
const shapeExports: Shape<'realm_export'> = (payload, form) =>
  form.takesExtensions ? payload : { ...payload, exports: payload.exports.map(toReferenceExport) }

/** Leaves out an event that other servers do not have, for clients that do not accept it. */
const shapeBotCommands: Shape<'bot_commands'> = (payload, form) => (form.takesExtensions ? payload : [])

/** Clients of this feature level do not know reminders, so only those that ask for them get them. */
const shapeReminder: Shape<'reminders'> = (payload, form) =>
  form.takesExtensions || form.eventTypes?.includes('reminders') === true ? payload : []

/** The shapes by event type. Events of other types are the same for all clients. */
const shapes: { readonly [Type in EmittedEvent['type']]?: Shape<Type> } = {
  bot_commands: shapeBotCommands,
  delete_message: shapeDeletion,
  message: shapeMessage,
  muted_topics: shapeMutedTopics,
  presence: shapePresence,
  reaction: shapeReaction,
  realm: shapeRealm,
  realm_export: shapeExports,
  realm_linkifiers: shapeLinkifiers,
  realm_user: shapeUser,
  realm_user_settings_defaults: shapeDefaultSetting,
  reminders: shapeReminder,
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
