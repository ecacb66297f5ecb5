import type { Reducer, State } from '../reducer.ts'

export const statusReducer: Reducer = {
  eventTypes: ['user_status', 'realm_user'],
  apply(state, event) {
    if (event.type === 'realm_user') {
      // Invisible and deactivated users have no status.
      if (event['op'] === 'remove' || event['person'].is_active === false) forget(state, event['person'].user_id)
      return
    }
    const { type: _, id: __, user_id, ...said } = event
    const status = { ...state['user_status'][user_id], ...said }
    if (status.status_text === '') delete status.status_text
    if (status.emoji_name === '') for (const name of ['emoji_name', 'emoji_code', 'reaction_type']) delete status[name]
    if (status.scheduled_end_time === null) delete status.scheduled_end_time
    if (Object.keys(status).length === 0) forget(state, user_id)
    else state['user_status'][user_id] = status
  },
}

function forget(state: State, userId: number): void {
  delete state['user_status'][userId]
}
