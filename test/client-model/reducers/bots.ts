import { byId, type Reducer } from '../reducer.ts'

/** The bots that the user manages. */
export const botReducer: Reducer = {
  eventTypes: ['realm_bot'],
  apply(state, { op, bot }) {
    const others = state['realm_bots'].filter(({ user_id }: { user_id: number }) => user_id !== bot.user_id)
    const known = state['realm_bots'].find(({ user_id }: { user_id: number }) => user_id === bot.user_id)
    if (op === 'delete') state['realm_bots'] = others
    else if (op === 'add') state['realm_bots'] = [...others, bot]
    else if (known === undefined) throw new Error(`An event changes an unknown bot: ${bot.user_id}`)
    else state['realm_bots'] = [...others, { ...known, ...bot }]
  },
  normalize(state) {
    state['realm_bots'] = byId(state['realm_bots'], 'user_id')
  },
}
