import type { Event, Reducer, State } from '../reducer.ts'

type Policy = { stream_id: number; topic_name: string; last_updated: number; visibility_policy: number }

/** Followed and muted topics, in the newer and the older form. */
export const userTopicReducer: Reducer = {
  eventTypes: ['user_topic', 'muted_topics', 'stream'],
  apply(state, event) {
    if (event.type === 'muted_topics') state['muted_topics'] = event['muted_topics']
    else if (event.type === 'user_topic') setPolicy(state, event)
    else if (event['op'] === 'delete') forget(state, event['stream_ids'])
    else if (event['property'] === 'is_archived' && event['value'] === true) forget(state, [event['stream_id']])
  },
  normalize(state) {
    // Policies for invisible and archived channels are not in the state.
    const used = state['streams'].filter((channel: State) => !channel['is_archived'])
    const ids = used.map((channel: State) => channel['stream_id'])
    state['user_topics'] = state['user_topics']?.filter((one: Policy) => ids.includes(one.stream_id))
    const key = (policy: Policy) => `${policy.stream_id} ${policy.topic_name.toLowerCase()}`
    state['user_topics']?.sort((one: Policy, other: Policy) => (key(one) < key(other) ? -1 : 1))
    state['muted_topics'].sort((one: unknown[], other: unknown[]) => (String(one) < String(other) ? -1 : 1))
  },
  derive(state) {
    // The older form has channel names, which change, and no events for channels that become visible.
    const nameOf = ({ stream_id }: Policy) =>
      state['streams'].find((channel: State) => channel['stream_id'] === stream_id).name
    state['muted_topics'] = state['user_topics']
      .filter((policy: Policy) => policy.visibility_policy === 1)
      .map((policy: Policy) => [nameOf(policy), policy.topic_name, policy.last_updated])
      .sort((one: unknown[], other: unknown[]) => (String(one) < String(other) ? -1 : 1))
  },
}

function setPolicy(state: State, { type: _, id: __, ...policy }: Event): void {
  const isSame = (one: Policy) =>
    one.stream_id === policy['stream_id'] && one.topic_name.toLowerCase() === policy['topic_name'].toLowerCase()
  state['user_topics'] = state['user_topics'].filter((one: Policy) => !isSame(one))
  if (policy['visibility_policy'] !== 0) state['user_topics'].push(policy)
}

function forget(state: State, ids: readonly number[]): void {
  state['user_topics'] = state['user_topics']?.filter((one: Policy) => !ids.includes(one.stream_id))
}
