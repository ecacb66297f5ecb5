import type { Event, Reducer, State } from '../reducer.ts'

/** The newest message, starred messages and recent direct conversations. */
export const messageReducer: Reducer = {
  eventTypes: ['message', 'update_message', 'update_message_flags', 'delete_message', 'subscription', 'stream'],
  apply(state, event) {
    switch (event.type) {
      case 'message':
        state['max_message_id'] = Math.max(state['max_message_id'], event['message'].id)
        if (event['message'].type === 'private') noteConversation(state, event['message'])
        break
      case 'update_message_flags':
        if (event['flag'] === 'starred') star(state, event)
        break
      case 'update_message':
        if (event['new_stream_id'] !== undefined) state['unsure_of_newest'] = true
        break
      case 'subscription':
        if (event['op'] === 'add' || event['op'] === 'remove') state['unsure_of_newest'] = true
        break
      case 'stream':
        if (event['op'] === 'delete') state['unsure_of_newest'] = true
        break
      case 'delete_message':
        forget(state, event['message_ids'] ?? [event['message_id']], event['message_type'])
    }
  },
  normalize(state) {
    state['recent_private_conversations'].sort((one: Talk, other: Talk) => other.max_message_id - one.max_message_id)
  },
  ignoreKnownDifferences(kept, fresh) {
    // The newest message of the subscribed channels: clients must ask when those change, or when it is deleted.
    if (kept['unsure_of_newest']) kept['max_message_id'] = fresh['max_message_id']
    for (const [key, deleted] of Object.entries(kept['talks_cut_short'] ?? {})) {
      const fits = (talk: Talk) => keyOf(talk.user_ids) === key && talk.max_message_id < Number(deleted)
      const [then, now] = [kept, fresh].map((state) => state['recent_private_conversations'].find(fits))
      if (then && now) then.max_message_id = now.max_message_id
      else if (then && !now)
        kept['recent_private_conversations'] = kept['recent_private_conversations'].filter(
          (talk: Talk) => talk !== then,
        )
    }
    delete kept['unsure_of_newest']
    delete kept['talks_cut_short']
    this.normalize?.(kept, {})
  },
}

type Talk = { user_ids: number[]; max_message_id: number }

const keyOf = (ids: readonly number[]) => ids.toSorted((one, other) => one - other).join()

function star(state: State, { op, messages }: Event): void {
  const others = state['starred_messages'].filter((id: number) => !messages.includes(id))
  state['starred_messages'] = op === 'remove' ? others : [...others, ...messages].sort((one, other) => one - other)
}

function noteConversation(state: State, { id, display_recipient }: Event): void {
  const user_ids = display_recipient
    .map((one: { id: number }) => one.id)
    .filter((one: number) => one !== state['user_id'])
  user_ids.sort((one: number, other: number) => one - other)
  const others = state['recent_private_conversations'].filter((talk: Talk) => keyOf(talk.user_ids) !== keyOf(user_ids))
  state['recent_private_conversations'] = [...others, { max_message_id: id, user_ids }]
}

function forget(state: State, ids: readonly number[], type: string): void {
  state['starred_messages'] = state['starred_messages'].filter((id: number) => !ids.includes(id))
  if (ids.includes(state['max_message_id'])) state['unsure_of_newest'] = true
  if (type !== 'private') return
  for (const talk of state['recent_private_conversations'] as Talk[]) {
    if (!ids.includes(talk.max_message_id)) continue
    state['talks_cut_short'] = { ...state['talks_cut_short'], [keyOf(talk.user_ids)]: talk.max_message_id }
    talk.max_message_id -= 1
  }
}
