import { refreshTimelines } from '../messages/messages.ts'
import { updateOrganization } from '../organization.ts'
import { refreshDeactivatedGroups } from '../people/deactivated-groups.ts'
import { addSubscribers, removeSubscribers } from '../people/subscribers.ts'
import { queryClient } from '../query-client.ts'
import { channelsAfterEvent, channelsAfterSubscription, type OwnSubscriptionEvent } from './channel-events.ts'
import type { EventOf } from './event.ts'
import { groupsAfterEvent } from './group-events.ts'

type OwnChannelEvent = EventOf<'stream' | 'default_streams'> | OwnSubscriptionEvent

export function applyChannelEvent(event: OwnChannelEvent | EventOf<'subscription'>, ownId: number): boolean {
  if (event.type === 'subscription') {
    if (event.op === 'peer_add' || event.op === 'peer_remove') {
      const update = event.op === 'peer_add' ? addSubscribers : removeSubscribers
      update(event.stream_ids, event.user_ids)
      return true
    }
    applyOwnSubscriptions(event, ownId)
  } else refreshInvitationChoices()
  return updateChannels(event)
}

function applyOwnSubscriptions(event: OwnSubscriptionEvent, ownId: number): void {
  if (event.op === 'update') return
  refreshInvitationChoices()
  if (event.op !== 'add' && event.op !== 'remove') return
  const ids = event.subscriptions.map(({ stream_id }) => stream_id)
  if (event.op === 'add') addSubscribers(ids, [ownId])
  else removeSubscribers(ids, [ownId])
  // While the user was not subscribed, no events reported the messages of the channel.
  if (event.op === 'add') refreshTimelines(() => true)
}

export function applyGroupEvent(event: EventOf<'user_group'>): boolean {
  let isApplied = true
  updateOrganization(({ realm_user_groups }) => {
    const groups = groupsAfterEvent(realm_user_groups, event)
    isApplied = groups !== null
    return groups === null ? {} : { realm_user_groups: groups }
  })
  refreshInvitationChoices()
  refreshDeactivatedGroups()
  return isApplied
}

function updateChannels(event: OwnChannelEvent): boolean {
  let isApplied = true
  updateOrganization(({ subscriptions, unsubscribed, never_subscribed }) => {
    if (event.type === 'default_streams') return { realm_default_streams: event.default_streams }
    const before = { subscriptions, unsubscribed, never_subscribed }
    const channels =
      event.type === 'stream' ? channelsAfterEvent(before, event) : channelsAfterSubscription(before, event)
    isApplied = channels !== null
    return channels ?? {}
  })
  return isApplied
}

/**
 * Reloads the channels and groups that an invitation can grant, since they depend on the user's channels and groups.
 */
const refreshInvitationChoices = () => void queryClient.invalidateQueries({ queryKey: ['inviting-choices'] })
