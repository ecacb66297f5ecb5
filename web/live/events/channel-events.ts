import { refreshTimelines } from '../../messages/messages.ts'
import { type Organization, updateOrganization } from '../../store/organization.ts'
import { queryClient, refreshDeactivatedGroups } from '../../store/query-client.ts'
import type { EventOf } from '../../store/registration.ts'
import { addSubscribers, removeSubscribers } from '../../store/subscribers.ts'

type Groups = Organization['realm_user_groups']
type Group = Groups[number]

/** Returns the groups after an event; null when the client does not know its `op`. */
export function groupsAfterEvent(groups: Groups, event: EventOf<'user_group'>): Groups | null {
  const withChange = (id: number, change: (group: Group) => Partial<Group>) =>
    groups.map((group) => (group.id === id ? { ...group, ...change(group) } : group))
  switch (event.op) {
    case 'add':
      return [...groups, event.group]
    case 'remove':
      return groups.filter(({ id }) => id !== event.group_id)
    case 'update':
      return withChange(event.group_id, () => event.data)
    case 'add_members':
      return withChange(event.group_id, ({ members }) => ({ members: union(members, event.user_ids) }))
    case 'remove_members':
      return withChange(event.group_id, ({ members }) => ({ members: difference(members, event.user_ids) }))
    case 'add_subgroups':
      return withChange(event.group_id, ({ direct_subgroup_ids: ids }) => ({
        direct_subgroup_ids: union(ids, event.direct_subgroup_ids),
      }))
    case 'remove_subgroups':
      return withChange(event.group_id, ({ direct_subgroup_ids: ids }) => ({
        direct_subgroup_ids: difference(ids, event.direct_subgroup_ids),
      }))
    default:
      return unknownOp(event)
  }
}

const union = (ids: readonly number[], added: readonly number[]) => [...new Set([...ids, ...added])]

const difference = (ids: readonly number[], removed: readonly number[]) => ids.filter((id) => !removed.includes(id))

/** Returns null for an unknown `op`. A newer server may send one. */
const unknownOp = (_: never): null => null

/** The channels that the user can see: subscribed, formerly subscribed, and never subscribed. */
type Channels = Pick<Organization, 'subscriptions' | 'unsubscribed' | 'never_subscribed'>

type ChannelEvent = EventOf<'stream'>
/** Events about the user's own subscriptions. */
export type OwnSubscriptionEvent = Exclude<EventOf<'subscription'>, { op: 'peer_add' | 'peer_remove' }>

type ChannelId = { stream_id: number }

const idsOf = (channels: readonly ChannelId[]) => channels.map(({ stream_id }) => stream_id)

const without = <One extends ChannelId>(channels: readonly One[], ids: readonly number[]): One[] =>
  channels.filter(({ stream_id }) => !ids.includes(stream_id))

const withFields = <One extends ChannelId>(channels: readonly One[], id: number, fields: object): One[] =>
  channels.map((channel) => (channel.stream_id === id ? { ...channel, ...fields } : channel))

const withoutChannels = (channels: Channels, ids: readonly number[]): Channels => ({
  subscriptions: without(channels.subscriptions, ids),
  unsubscribed: without(channels.unsubscribed, ids),
  never_subscribed: without(channels.never_subscribed, ids),
})

/** Returns the channels after an event; null when the client does not know its `op`. */
export function channelsAfterEvent(channels: Channels, event: ChannelEvent): Channels | null {
  switch (event.op) {
    case 'create': {
      const others = withoutChannels(channels, idsOf(event.streams))
      return { ...others, never_subscribed: [...others.never_subscribed, ...event.streams] }
    }
    case 'delete':
      return withoutChannels(channels, event.stream_ids)
    case 'update': {
      const { id: _, type: __, op: ___, name: ____, property, value, stream_id, ...extras } = event
      const fields = { ...extras, [property]: value }
      return {
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
        never_subscribed: withFields(channels.never_subscribed, stream_id, fields),
      }
    }
    default:
      return unknownOp(event)
  }
}

/**
 * Returns the channels after an event about the user's own subscriptions; null when the client does not know its `op`.
 */
export function channelsAfterSubscription(channels: Channels, event: OwnSubscriptionEvent): Channels | null {
  switch (event.op) {
    case 'add': {
      const others = withoutChannels(channels, idsOf(event.subscriptions))
      return { ...others, subscriptions: [...others.subscriptions, ...event.subscriptions] }
    }
    case 'remove': {
      const ids = idsOf(event.subscriptions)
      const left = channels.subscriptions.filter(({ stream_id }) => ids.includes(stream_id))
      return { ...withoutChannels(channels, ids), unsubscribed: [...without(channels.unsubscribed, ids), ...left] }
    }
    case 'update': {
      const { property, value, stream_id } = event
      const fields = { [property]: value }
      return {
        ...channels,
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
      }
    }
    default:
      return unknownOp(event)
  }
}

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
