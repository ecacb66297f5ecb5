import { ascending, byId, can, type Event, type Form, type Reducer, type State } from '../reducer.ts'

type Channel = Record<string, unknown> & { stream_id: number; name: string; subscribers?: number[] }

const STANDINGS = ['subscriptions', 'unsubscribed', 'never_subscribed'] as const
const LISTS = ['streams', ...STANDINGS] as const

const allChannels = (state: State): Channel[] => LISTS.flatMap((list) => state[list] as Channel[])

const takeOut = (state: State, ids: readonly number[], lists: readonly string[] = LISTS) => {
  for (const list of lists) state[list] = state[list].filter((channel: Channel) => !ids.includes(channel.stream_id))
}

/** The visible channels, the user's subscriptions, and the subscribers. */
export const channelReducer: Reducer = {
  eventTypes: ['stream', 'subscription', 'realm_user'],
  apply(state, event, form) {
    if (event.type === 'stream') applyToChannels(state, event, form)
    else if (event.type === 'subscription') applyToSubscriptions(state, event, form)
    // A deactivated account leaves all channels. Events add it again when it is reactivated.
    else if (event['person'].is_active === false) removePeers(state, LISTS, everyId(state), [event['person'].user_id])
  },
  normalize(state) {
    for (const channel of allChannels(state)) if (channel.subscribers) channel.subscribers.sort(ascending)
    for (const list of LISTS) state[list] = byId(state[list], 'stream_id')
  },
  ignoreKnownDifferences(kept, fresh, form) {
    for (const channel of [...allChannels(kept), ...allChannels(fresh)]) {
      // These depend on messages that the user need not have received, and on the time.
      delete channel['first_message_id']
      delete channel['stream_weekly_traffic']
      // No event changes inherited notification settings for clients that do not know null.
      if (!can(form, 'notification_settings_null')) for (const name of inherited) delete channel[name]
    }
    // Users who are unsubscribed together receive no events about each other.
    for (const id of kept['left_with_others'] ?? []) {
      const [then, now] = [kept, fresh].map((state) =>
        state['unsubscribed'].find(({ stream_id }: Channel) => stream_id === id),
      ) as (Channel | undefined)[]
      const isLess = now?.subscribers?.every((one) => then?.subscribers?.includes(one))
      if (then?.subscribers && now?.subscribers && isLess) then.subscribers = now.subscribers
    }
    delete kept['left_with_others']
    // Personal settings are in a fresh state when the channel becomes visible, but in events when the user subscribes.
    const forgotten = new Set<number>(kept['channels_told_anew'] ?? [])
    delete kept['channels_told_anew']
    for (const state of [kept, fresh]) {
      const left = state['unsubscribed'].filter(({ stream_id }: Channel) => forgotten.has(stream_id))
      takeOut(state, [...forgotten], ['unsubscribed'])
      state['never_subscribed'] = byId([...state['never_subscribed'], ...left.map(withoutSettings)], 'stream_id')
    }
  },
}

const inherited = ['desktop_notifications', 'audible_notifications', 'push_notifications', 'email_notifications']
const personal = [...inherited, 'wildcard_mentions_notify', 'color', 'is_muted', 'in_home_view', 'pin_to_top']

const withoutSettings = (channel: Channel): Channel =>
  Object.fromEntries(Object.entries(channel).filter(([name]) => !personal.includes(name))) as Channel

const everyId = (state: State) => state['streams'].map(({ stream_id }: Channel) => stream_id)

function applyToChannels(state: State, event: Event, form: Form): void {
  const { op, streams, stream_ids, stream_id, property, value, type: _, id: __, name: ___, ...extras } = event
  if (op === 'delete') return takeOut(state, stream_ids)
  if (op === 'create') {
    for (const channel of structuredClone(streams) as Channel[]) {
      if (everyId(state).includes(channel.stream_id))
        throw new Error(`An event creates a known channel: ${channel.stream_id}`)
      state['streams'].push(channel)
      state['never_subscribed'].push({ ...channel, ...(form.include_subscribers && { subscribers: [] }) })
      state['channels_told_anew'] = [...(state['channels_told_anew'] ?? []), channel.stream_id]
    }
    return
  }
  if (!everyId(state).includes(stream_id)) throw new Error(`An event changes an unknown channel: ${stream_id}`)
  for (const channel of allChannels(state))
    if (channel.stream_id === stream_id) Object.assign(channel, { [property]: value }, extras)
}

function applyToSubscriptions(state: State, event: Event, form: Form): void {
  const { op, subscriptions, stream_ids, user_ids, stream_id, property, value } = event
  switch (op) {
    case 'add':
      for (const { subscribers, ...subscription } of subscriptions as Channel[]) {
        if (!everyId(state).includes(subscription.stream_id))
          throw new Error('An event subscribes to an unknown channel')
        takeOut(state, [subscription.stream_id], STANDINGS)
        state['subscriptions'].push({ ...subscription, ...(form.include_subscribers && { subscribers }) })
        state['channels_told_anew'] = (state['channels_told_anew'] ?? []).filter(
          (id: number) => id !== subscription.stream_id,
        )
      }
      break
    case 'remove':
      for (const { stream_id: id } of subscriptions as Channel[]) {
        const left = state['subscriptions'].filter((channel: Channel) => channel.stream_id === id)
        takeOut(state, [id], ['subscriptions'])
        state['unsubscribed'].push(...left)
        removePeers(state, ['unsubscribed'], [id], [state['user_id']])
        state['left_with_others'] = [...(state['left_with_others'] ?? []), id]
      }
      break
    case 'update':
      for (const channel of [...state['subscriptions'], ...state['unsubscribed']])
        if (channel.stream_id === stream_id) channel[property] = value
      break
    case 'peer_add':
      for (const channel of STANDINGS.flatMap((list) => state[list] as Channel[]))
        if (stream_ids.includes(channel.stream_id) && channel.subscribers)
          channel.subscribers = [...new Set([...channel.subscribers, ...user_ids])]
      break
    case 'peer_remove':
      removePeers(state, STANDINGS, stream_ids, user_ids)
      break
    default:
      throw new Error(`There is no operation ${op} on subscriptions`)
  }
}

function removePeers(state: State, lists: readonly string[], ids: readonly number[], userIds: readonly number[]): void {
  for (const channel of lists.flatMap((list) => state[list] as Channel[]))
    if (ids.includes(channel.stream_id) && channel.subscribers)
      channel.subscribers = channel.subscribers.filter((id) => !userIds.includes(id))
}
