import type { StateType } from '#events/state/state.ts'
import { type AnswerOf, call } from '../api/call.ts'

export type ServerEvent = AnswerOf<'GET /events'>['events'][number]

export type EventType = ServerEvent['type']

type EventByType = { [Type in EventType]: Extract<ServerEvent, { type: Type }> }

export type EventOf<Type extends EventType> = EventByType[Type]

/** The types of events that the client subscribes to; `apply-event.ts` has a handler for each. */
export const SUBSCRIBED_EVENTS = [
  'message',
  'update_message',
  'update_message_flags',
  'delete_message',
  'reaction',
  'typing',
  'typing_edit_message',
  'stream',
  'default_streams',
  'subscription',
  'user_topic',
  'realm_user',
  'bot_commands',
  'user_status',
  'presence',
  'invites_changed',
  'user_group',
  'realm',
  'realm_domains',
  'realm_export',
  'realm_export_consent',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_user_settings_defaults',
  'custom_profile_fields',
  'alert_words',
  'muted_users',
  'user_settings',
  'drafts',
  'saved_snippets',
  'submessage',
  'scheduled_messages',
  'reminders',
  'has_zoom_token',
] as const satisfies readonly EventType[]

/** The event types for which the client fetches the initial state when it registers. */
export const INITIAL_STATE_TYPES = [
  'alert_words',
  'custom_profile_fields',
  'default_streams',
  'drafts',
  'message',
  'muted_users',
  'realm',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_user',
  'realm_user_groups',
  'recent_private_conversations',
  'reminders',
  'scheduled_messages',
  'starred_messages',
  'subscription',
  'update_message_flags',
  'user_settings',
  'user_status',
  'user_topic',
  'video_calls',
] as const satisfies readonly StateType[]

export type Registered = AnswerOf<'POST /register'>

/** The parameters with which the client registers. */
export const registration = {
  event_types: [...SUBSCRIBED_EVENTS],
  fetch_event_types: [...INITIAL_STATE_TYPES],
  apply_markdown: true,
  client_gravatar: false,
  client_capabilities: {
    archived_channels: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
    linkifier_url_template: true,
    notification_settings_null: true,
    parley_extensions: true,
    stream_typing_notifications: true,
    user_list_incomplete: true,
    user_settings_object: true,
  },
}

/** Registers an event queue and returns the initial state. Rejects with `ApiError`. */
export const register = (signal?: AbortSignal): Promise<Registered> =>
  call('POST /register', registration, signal && { signal })
