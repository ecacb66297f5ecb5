import { applyChannelEvent, applyGroupEvent } from './events/apply-channel-event.ts'
import { applyDeletion } from './events/delete-message.ts'
import type { ServerEvent } from './events/event.ts'
import { applyMessage } from './events/message.ts'
import { organizationAfterFields } from './events/profile-fields.ts'
import { applyReaction } from './events/reaction.ts'
import { applyRealm } from './events/realm.ts'
import { applyRealmUser } from './events/realm-user.ts'
import { applySnippets } from './events/saved-snippets.ts'
import { applyScheduledMessages } from './events/scheduled-messages.ts'
import { applyEditTyping, applyTyping } from './events/typing.ts'
import { applyMessageUpdate } from './events/update-message.ts'
import { applyMessageFlags } from './events/update-message-flags.ts'
import { applyStatus } from './events/user-status.ts'
import { applyUserTopic } from './events/user-topic.ts'
import { findChannel, type Organization, updateOrganization } from './organization.ts'
import { applyPresenceEvent } from './people/presences.ts'
import { queryClient } from './query-client.ts'

/** Makes what is known true again after an event; false when only registering anew can do that. */
export function applyEvent(event: ServerEvent, ownId: number): boolean {
  switch (event.type) {
    case 'heartbeat':
      return true
    case 'message':
      applyMessage(event, ownId)
      return true
    case 'update_message':
      applyMessageUpdate(event, ownId, (id) => findChannel(id)?.name)
      return true
    case 'delete_message':
      applyDeletion(event)
      return true
    case 'update_message_flags':
      applyMessageFlags(event, ownId)
      return true
    case 'user_topic':
      applyUserTopic(event)
      return true
    case 'scheduled_messages':
      applyScheduledMessages(event)
      return true
    case 'saved_snippets':
      applySnippets()
      return true
    case 'reaction':
      applyReaction(event)
      return true
    case 'typing':
      applyTyping(event, ownId)
      return true
    case 'typing_edit_message':
      applyEditTyping(event)
      return true
    case 'invites_changed':
      void queryClient.invalidateQueries({ queryKey: ['invitations'] })
      return true
    case 'alert_words':
      updateOrganization(() => ({ alert_words: event['alert_words'] as string[] }))
      return true
    case 'muted_users':
      updateOrganization(() => ({ muted_users: event['muted_users'] as Organization['muted_users'] }))
      return true
    case 'realm_emoji':
      updateOrganization(() => ({ realm_emoji: event['realm_emoji'] as Organization['realm_emoji'] }))
      return true
    case 'realm_linkifiers':
      updateOrganization(() => ({ realm_linkifiers: event['realm_linkifiers'] as Organization['realm_linkifiers'] }))
      return true
    case 'realm_playgrounds':
      updateOrganization(() => ({ realm_playgrounds: event['realm_playgrounds'] as Organization['realm_playgrounds'] }))
      return true
    case 'custom_profile_fields':
      updateOrganization((known) => organizationAfterFields(known, event))
      return true
    case 'user_settings':
      return takeSetting(event)
    case 'realm_user':
      return applyRealmUser(event)
    case 'presence':
      applyPresenceEvent(event)
      return true
    case 'user_status':
      applyStatus(event)
      return true
    case 'realm':
      return applyRealm(event)
    case 'subscription':
    case 'stream':
    case 'default_streams':
      return applyChannelEvent(event, ownId)
    case 'user_group':
      return applyGroupEvent(event)
    default:
      return false
  }
}

function takeSetting(event: ServerEvent): boolean {
  if (event['op'] !== 'update') return false
  const setting = { [String(event['property'])]: event['value'] }
  updateOrganization(({ user_settings }) => ({ user_settings: { ...user_settings, ...setting } }))
  return true
}
