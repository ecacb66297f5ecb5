import { refreshTimelines } from '../messages/messages.ts'
import { updateOrganization } from '../organization.ts'
import { refreshDeactivatedGroups } from '../people/deactivated-groups.ts'
import { addSubscribers, removeSubscribers } from '../people/subscribers.ts'
import { queryClient } from '../query-client.ts'
import { channelsAfterEvent, channelsAfterSubscription } from './channel-events.ts'
import { groupsAfterEvent } from './group-events.ts'

type Told = Readonly<Record<string, unknown>>

/** Makes true again what is known of channels and of who is in them; false when only registering anew can do that. */
export function applyChannelEvent(event: Told, ownId: number): boolean {
  const { op, type } = event
  if (op === 'peer_add' || op === 'peer_remove') {
    const take = op === 'peer_add' ? addSubscribers : removeSubscribers
    take(event['stream_ids'] as number[], event['user_ids'] as number[])
    return true
  }
  if (type === 'subscription' && (op === 'add' || op === 'remove')) {
    const ids = (event['subscriptions'] as { stream_id: number }[]).map(({ stream_id }) => stream_id)
    if (op === 'add') addSubscribers(ids, [ownId])
    else removeSubscribers(ids, [ownId])
    // What was said while one was not there was not told.
    if (op === 'add') refreshTimelines(() => true)
  }
  if (op !== 'update' || type !== 'subscription') refreshChoices()
  return takeIntoOrganization(event)
}

/** Makes true again what is known of groups; false when only registering anew can do that. */
export function applyGroupEvent(event: Told): boolean {
  let isTaken = true
  updateOrganization(({ realm_user_groups }) => {
    const groups = groupsAfterEvent(realm_user_groups, event)
    isTaken = groups !== null
    return groups === null ? {} : { realm_user_groups: groups }
  })
  refreshChoices()
  refreshDeactivatedGroups()
  return isTaken
}

function takeIntoOrganization(event: Told): boolean {
  let isTaken = true
  updateOrganization(({ subscriptions, unsubscribed, never_subscribed }) => {
    if (event['type'] === 'default_streams') return { realm_default_streams: event['default_streams'] as number[] }
    const take = event['type'] === 'stream' ? channelsAfterEvent : channelsAfterSubscription
    const channels = take({ subscriptions, unsubscribed, never_subscribed }, event)
    isTaken = channels !== null
    return channels ?? {}
  })
  return isTaken
}

/** What one may invite people to follows from channels and groups. */
const refreshChoices = () => void queryClient.invalidateQueries({ queryKey: ['inviting-choices'] })
