import { ascending, type Event, type Reducer, type State } from '../reducer.ts'

/** The topic of an unread message, or the ids of all participants of a direct conversation. */
type Location = { channel: number; topic: string } | { people: string }

/**
 * The kind of mention of the user in a message, as far as the client knows. Wildcard mentions count while the topic is
 * not muted. `somehow` may be by wildcard; `perhaps` is a message in a topic that was muted when the state was fetched.
 */
type Mention = 'directly' | 'by wildcard' | 'somehow' | 'perhaps'

/** Unread messages, compared one by one: the case of topics does not matter. */
export const unreadReducer: Reducer = {
  eventTypes: ['message', 'update_message', 'update_message_flags', 'delete_message', 'subscription', 'stream'],
  init(state) {
    const locations = locationsIn(state)
    state['unread_msgs'] = { ...state['unread_msgs'], locations, mentions: mentionsIn(state, locations) }
  },
  apply(state, event) {
    const unread = state['unread_msgs'].locations as Map<number, Location>
    switch (event.type) {
      case 'message':
        if (!event['flags'].includes('read')) unread.set(event['message'].id, locationOf(event['message']))
        noteMentions(state, [event['message'].id], event['flags'])
        break
      case 'update_message':
        move(unread, event)
        noteMentions(state, event['rendering_only'] ? [] : [event['message_id']], event['flags'])
        break
      case 'update_message_flags':
        if (event['flag'] === 'read') applyRead(state, unread, event)
        break
      case 'stream':
        // Nothing is unread in invisible channels.
        if (event['op'] === 'delete')
          for (const [id, location] of unread)
            if ('channel' in location && event['stream_ids'].includes(location.channel)) unread.delete(id)
        break
      case 'delete_message':
        for (const id of event['message_ids'] ?? [event['message_id']]) unread.delete(id)
    }
  },
  normalize(state) {
    const { locations, old_unreads_missing, mentions } = state['unread_msgs']
    const unread = [...(locations as Map<number, Location>)].sort(([one], [other]) => one - other)
    const muted = new Set(unread.filter(([, location]) => isMuted(state, location)).map(([id]) => id))
    const isMentioned = (id: number) => {
      const mention = mentions.get(id)
      return mention === 'directly' || (mention !== undefined && mention !== 'perhaps' && !muted.has(id))
    }
    state['unread_msgs'] = {
      locations: unread,
      count: unread.length - muted.size,
      mentions: unread.map(([id]) => id).filter(isMentioned),
      unsure: unread.map(([id]) => id).filter((id) => mentions.get(id) === (muted.has(id) ? 'somehow' : 'perhaps')),
      fetched_count: state['unread_msgs'].count,
      old_unreads_missing,
    }
  },
  derive(state) {
    state['unread_msgs'].fetched_count = state['unread_msgs'].count
  },
  ignoreKnownDifferences(kept, fresh) {
    // The list of mentions does not say how users were mentioned, and topics were muted and unmuted since.
    const unsure = new Set<number>(kept['unread_msgs'].unsure)
    for (const { unread_msgs: unread } of [kept, fresh]) {
      unread.mentions = unread.mentions.filter((id: number) => !unsure.has(id))
      delete unread.unsure
    }
  },
}

const lower = (topic: string) => topic.toLowerCase()

/** Returns the locations of the unread messages of a fresh state. */
function locationsIn(state: State): Map<number, Location> {
  const { streams, pms, huddles } = state['unread_msgs']
  const unread = new Map<number, Location>()
  for (const { stream_id, topic, unread_message_ids } of streams)
    for (const id of unread_message_ids) unread.set(id, { channel: stream_id, topic: lower(topic) })
  for (const { other_user_id, unread_message_ids } of pms)
    for (const id of unread_message_ids) unread.set(id, { people: keyOf([other_user_id, state['user_id']]) })
  for (const { user_ids_string, unread_message_ids } of huddles)
    for (const id of unread_message_ids) unread.set(id, { people: user_ids_string })
  return unread
}

function mentionsIn(state: State, unread: ReadonlyMap<number, Location>): Map<number, Mention> {
  const mentions = new Map<number, Mention>()
  const events = new Set<number>(state['unread_msgs'].mentions)
  for (const [id, location] of unread) {
    if (events.has(id)) mentions.set(id, isMuted(state, location) ? 'directly' : 'somehow')
    else if (isMuted(state, location)) mentions.set(id, 'perhaps')
  }
  return mentions
}

const keyOf = (ids: readonly number[]) => [...new Set(ids)].sort(ascending).join()

function locationOf({ type, stream_id, subject, display_recipient }: Event): Location {
  if (type === 'stream') return { channel: stream_id, topic: lower(subject) }
  return { people: keyOf(display_recipient.map(({ id }: { id: number }) => id)) }
}

function move(unread: Map<number, Location>, { message_ids, subject, new_stream_id }: Event): void {
  if (subject === undefined && new_stream_id === undefined) return
  for (const id of message_ids) {
    const location = unread.get(id)
    if (location === undefined || 'people' in location) continue
    unread.set(id, { channel: new_stream_id ?? location.channel, topic: lower(subject ?? location.topic) })
  }
}

function applyRead(state: State, unread: Map<number, Location>, { op, all, messages, message_details }: Event): void {
  if (all) unread.clear()
  if (op === 'add') for (const id of messages) unread.delete(id)
  if (op !== 'remove') return
  for (const [id, detail] of Object.entries(message_details as Record<string, Event>)) {
    const { stream_id, topic, user_ids } = detail
    const people = user_ids && keyOf([...user_ids, state['user_id']])
    unread.set(Number(id), people ? { people } : { channel: stream_id, topic: lower(topic) })
    noteMention(state, Number(id), detail['mentioned'] ? 'somehow' : null)
  }
}

function noteMentions(state: State, ids: readonly number[], flags: readonly string[]): void {
  const byWildcard = flags.some((flag) => flag.endsWith('wildcard_mentioned')) ? 'by wildcard' : null
  for (const id of ids) noteMention(state, id, flags.includes('mentioned') ? 'directly' : byWildcard)
}

function noteMention(state: State, id: number, mention: Mention | null): void {
  const mentions = state['unread_msgs'].mentions as Map<number, Mention>
  if (mention === null) mentions.delete(id)
  else mentions.set(id, mention)
}

function isMuted(state: State, location: Location): boolean {
  if ('people' in location) return false
  const policy = (state['user_topics'] ?? []).find(
    (one: Event) => one['stream_id'] === location.channel && lower(one['topic_name']) === location.topic,
  )
  if (policy !== undefined) return policy.visibility_policy === 1
  return state['subscriptions'].some((one: Event) => one['stream_id'] === location.channel && one['is_muted'])
}
