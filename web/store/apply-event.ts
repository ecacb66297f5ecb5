import { applyChannelEvent, applyGroupEvent } from './events/apply-channel-event.ts'
import { applyDeletion } from './events/delete-message.ts'
import { applyDrafts } from './events/drafts.ts'
import type { EventOf, EventType, ServerEvent } from './events/event.ts'
import { applyMessage } from './events/message.ts'
import { organizationAfterFields } from './events/profile-fields.ts'
import { applyReaction } from './events/reaction.ts'
import { applyRealm } from './events/realm.ts'
import { applyRealmUser } from './events/realm-user.ts'
import { applySnippets } from './events/saved-snippets.ts'
import { applyScheduledMessages } from './events/scheduled-messages.ts'
import { applySubmessage } from './events/submessage.ts'
import { applyEditTyping, applyTyping } from './events/typing.ts'
import { applyMessageUpdate } from './events/update-message.ts'
import { applyMessageFlags } from './events/update-message-flags.ts'
import { applyStatus } from './events/user-status.ts'
import { applyUserTopic } from './events/user-topic.ts'
import type { SUBSCRIBED_EVENTS } from './live/registration.ts'
import { findChannel, updateOrganization } from './organization.ts'
import { applyPresenceEvent } from './people/presences.ts'
import { queryClient } from './query-client.ts'
import { CONSENTS_KEY, DOMAINS_KEY, EXPORTS_KEY, setDefault } from './realm-queries.ts'

/** Updates the stores. Returns false if the client must register again instead. */
type Handler<Type extends EventType> = (event: EventOf<Type>, ownId: number) => boolean | void

type Handled = (typeof SUBSCRIBED_EVENTS)[number] | 'heartbeat'

/**
 * The handler of each type of event; null for types that the client does not subscribe to. The server sends heartbeats
 * without a subscription.
 */
const handlers: { readonly [Type in EventType]: Type extends Handled ? Handler<Type> : null } = {
  heartbeat: () => {},
  message: applyMessage,
  update_message: (event, ownId) => applyMessageUpdate(event, ownId, (id) => findChannel(id)?.name),
  update_message_flags: applyMessageFlags,
  delete_message: applyDeletion,
  reaction: applyReaction,
  submessage: applySubmessage,
  typing: applyTyping,
  typing_edit_message: applyEditTyping,
  stream: applyChannelEvent,
  default_streams: applyChannelEvent,
  subscription: applyChannelEvent,
  user_topic: applyUserTopic,
  muted_topics: null,
  realm_user: applyRealmUser,
  realm_bot: null,
  user_status: applyStatus,
  presence: applyPresenceEvent,
  realm_export({ exports }) {
    // A response that is on its way may be older than the event.
    void queryClient.cancelQueries({ queryKey: EXPORTS_KEY })
    queryClient.setQueryData(EXPORTS_KEY, { exports })
  },
  realm_export_consent: () => void queryClient.invalidateQueries({ queryKey: CONSENTS_KEY }),
  invites_changed() {
    void queryClient.invalidateQueries({ queryKey: ['invitations'] })
    // Most invitations are sent as emails, and no event reports emails.
    void queryClient.invalidateQueries({ queryKey: ['mails'] })
  },
  user_group: applyGroupEvent,
  realm: applyRealm,
  realm_domains: () => void queryClient.invalidateQueries({ queryKey: DOMAINS_KEY }),
  realm_emoji: ({ realm_emoji }) => updateOrganization(() => ({ realm_emoji })),
  realm_linkifiers: ({ realm_linkifiers }) => updateOrganization(() => ({ realm_linkifiers })),
  realm_playgrounds: ({ realm_playgrounds }) => updateOrganization(() => ({ realm_playgrounds })),
  realm_user_settings_defaults: ({ property, value }) => setDefault(property, value),
  custom_profile_fields: (event) => updateOrganization((known) => organizationAfterFields(known, event)),
  alert_words: ({ alert_words }) => updateOrganization(() => ({ alert_words })),
  muted_users: ({ muted_users }) => updateOrganization(() => ({ muted_users })),
  user_settings: applyUserSetting,
  update_display_settings: null,
  update_global_notifications: null,
  drafts: applyDrafts,
  saved_snippets: applySnippets,
  scheduled_messages: applyScheduledMessages,
  attachment: null,
}

/** Updates the stores after an event. Returns false if the client must register again instead. */
export function applyEvent(event: ServerEvent, ownId: number): boolean {
  return applyTyped(event.type, event, ownId)
}

/**
 * Calls the handler of the type. Returns false if there is none, since a newer server may send types that the client
 * does not know.
 */
function applyTyped<Type extends EventType>(type: Type, event: EventOf<Type>, ownId: number): boolean {
  const handler = handlers[type] as Handler<Type> | null | undefined
  if (!handler) return false
  return handler(event, ownId) !== false
}

function applyUserSetting({ op, property, value }: EventOf<'user_settings'>): boolean {
  if (op !== 'update') return false
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, [property]: value } }))
  return true
}
