import { createAtom, batch as updateTogether } from '@tanstack/react-store'
import { dropDraft, takeDraft } from '../../messages/draft-sync.ts'
import { type QueuePosition, queuePosition } from '../../store/connection.ts'
import { currentOrganization, findChannel, updateOrganization } from '../../store/organization.ts'
import { applyPresenceEvent } from '../../store/presence.ts'
import { organizationAfterFields } from '../../store/profile-fields.ts'
import {
  applySnippets,
  BOT_COMMANDS_KEY,
  CONSENTS_KEY,
  DOMAINS_KEY,
  EXPORTS_KEY,
  queryClient,
  setDefault,
} from '../../store/query-client.ts'
import type { EventOf, EventType, ServerEvent, SUBSCRIBED_EVENTS } from '../../store/registration.ts'
import { applyReminders, applyScheduledMessages } from '../../store/scheduled-messages.ts'
import { type Batch, cut, join } from '../batch.ts'
import { applyChannelEvent, applyGroupEvent } from './channel-events.ts'
import {
  applyDeletion,
  applyEditTyping,
  applyMessage,
  applyMessageFlags,
  applyMessageUpdate,
  applyReaction,
  applySubmessage,
  applyTyping,
} from './message-events.ts'
import { applyRealmUser, applyStatus } from './people-events.ts'

function applyDrafts(event: EventOf<'drafts'>, ownId: number): void {
  switch (event.op) {
    case 'add':
      for (const draft of event.drafts) takeDraft(ownId, draft)
      return
    case 'update':
      return takeDraft(ownId, event.draft)
    case 'remove':
      return dropDraft(ownId, event.draft_id)
  }
}

/** Returns true if the setting may change the user's own permissions, which only the server knows. */
const changesPermissions = (property: string) =>
  property.endsWith('_group') || property === 'can_create_groups' || property === 'waiting_period_threshold'

function applyRealm(event: EventOf<'realm'>): boolean {
  const change = changedSettings(event)
  if (change === null) return false
  updateOrganization(() => Object.fromEntries(Object.entries(change).map(([name, value]) => [`realm_${name}`, value])))
  return !Object.keys(change).some(changesPermissions)
}

/** Returns the changed settings by their names; null for events about anything else. */
export function changedSettings(event: EventOf<'realm'>): Readonly<Record<string, unknown>> | null {
  switch (event.op) {
    case 'update':
      return { [event.property]: event.value }
    case 'update_dict':
      return event.data
    default:
      return null
  }
}

function applyUserTopic(event: EventOf<'user_topic'>): void {
  const { stream_id, topic_name, last_updated, visibility_policy } = event
  updateOrganization(({ user_topics }) => ({
    user_topics: [
      ...user_topics.filter((one) => one.stream_id !== stream_id || one.topic_name !== topic_name),
      ...(visibility_policy === 0 ? [] : [{ stream_id, topic_name, last_updated, visibility_policy }]),
    ],
  }))
}

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
  bot_commands: () => void queryClient.invalidateQueries({ queryKey: BOT_COMMANDS_KEY }),
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
  has_zoom_token: ({ value }) => updateOrganization(() => ({ has_zoom_token: value })),
  user_settings: applyUserSetting,
  update_display_settings: null,
  update_global_notifications: null,
  drafts: applyDrafts,
  saved_snippets: applySnippets,
  scheduled_messages: applyScheduledMessages,
  reminders: applyReminders,
  attachment: null,
}

/** Updates the stores after an event. Returns false if the client must register again instead. */
function applyEvent(event: ServerEvent, ownId: number): boolean {
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

/** The latest events, for other pages that have missed some. */
const latest = createAtom<Batch | null>(null)

/**
 * Updates the stores. Returns false if the client must register again instead. The first event of the batch must follow
 * the last one that the stores contain.
 */
export function applyBatch(batch: Batch): boolean {
  const { queueId, lastEventId, events } = batch
  const ownId = currentOrganization()?.user_id ?? 0
  let areApplied = true
  updateTogether(() => {
    areApplied = events.map((event) => applyEvent(event, ownId)).every(Boolean)
    latest.set((before) => (before === null ? batch : join(before, batch)))
    queuePosition.set({ queueId, lastEventId })
  })
  return areApplied
}

/** Returns the events after a position of another page; null if this page does not have them all. */
export function eventsAfter(position: QueuePosition): Batch | null {
  const own = queuePosition.get()
  if (own === null || own.queueId !== position.queueId) return null
  if (own.lastEventId === position.lastEventId) return { ...own, after: own.lastEventId, events: [] }
  const batch = latest.get()
  return batch === null ? null : cut(batch, position)
}
