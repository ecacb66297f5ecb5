import { withInheritedNotifications } from '#channels/subscriptions/subscription.ts'
import { displayTopic } from '#channels/topic.ts'
import type { Shape } from './shape.ts'

/**
 * For clients that do not know archived channels, archiving a channel deletes it, and unarchiving creates it again.
 * They receive no events about the channel in between.
 */
export const shapeChannel: Shape<'stream'> = (payload, form) => {
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
export const shapeSubscription: Shape<'subscription'> = (payload, form) => {
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

export const shapeUserTopic: Shape<'user_topic'> = (payload, form) => ({
  ...payload,
  topic_name: displayTopic(payload.topic_name, form.allowsEmptyTopic),
})

export const shapeMutedTopics: Shape<'muted_topics'> = (payload, form) => ({
  ...payload,
  muted_topics: payload.muted_topics.map(([channel, topic, time]) => [
    channel,
    displayTopic(topic, form.allowsEmptyTopic),
    time,
  ]),
})
