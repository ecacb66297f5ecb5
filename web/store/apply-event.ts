import { takeDeletion } from './events/delete-message.ts'
import type { ServerEvent } from './events/event.ts'
import { takeMessage } from './events/message.ts'
import { withFieldsEvent } from './events/profile-fields.ts'
import { takeReaction } from './events/reaction.ts'
import { takeRealm } from './events/realm.ts'
import { takePerson } from './events/realm-user.ts'
import { takeSnippets } from './events/saved-snippets.ts'
import { takeScheduled } from './events/scheduled-messages.ts'
import { takeChannelEvent, takeGroupEvent } from './events/take-channel-event.ts'
import { takeEditing, takeTyping } from './events/typing.ts'
import { takeUpdate } from './events/update-message.ts'
import { takeFlags } from './events/update-message-flags.ts'
import { takeStatus } from './events/user-status.ts'
import { takeUserTopic } from './events/user-topic.ts'
import { findChannel, type Organization, updateOrganization } from './organization.ts'
import { takePresenceEvent } from './people/presences.ts'
import { queryClient } from './query-client.ts'

/** Makes what is known true again after an event; false when only registering anew can do that. */
export function applyEvent(event: ServerEvent, ownId: number): boolean {
  switch (event.type) {
    case 'heartbeat':
      return true
    case 'message':
      takeMessage(event, ownId)
      return true
    case 'update_message':
      takeUpdate(event, ownId, (id) => findChannel(id)?.name)
      return true
    case 'delete_message':
      takeDeletion(event)
      return true
    case 'update_message_flags':
      takeFlags(event, ownId)
      return true
    case 'user_topic':
      takeUserTopic(event)
      return true
    case 'scheduled_messages':
      takeScheduled(event)
      return true
    case 'saved_snippets':
      takeSnippets()
      return true
    case 'reaction':
      takeReaction(event)
      return true
    case 'typing':
      takeTyping(event, ownId)
      return true
    case 'typing_edit_message':
      takeEditing(event)
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
      updateOrganization((known) => withFieldsEvent(known, event))
      return true
    case 'user_settings':
      return takeSetting(event)
    case 'realm_user':
      return takePerson(event)
    case 'presence':
      takePresenceEvent(event)
      return true
    case 'user_status':
      takeStatus(event)
      return true
    case 'realm':
      return takeRealm(event)
    case 'subscription':
    case 'stream':
    case 'default_streams':
      return takeChannelEvent(event, ownId)
    case 'user_group':
      return takeGroupEvent(event)
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
