import type { Reducer, State } from '../reducer.ts'
import { accountOf } from './people.ts'

/** Custom profile fields and their values. */
export const profileReducer: Reducer = {
  eventTypes: ['custom_profile_fields', 'realm_user'],
  apply(state, event) {
    if (event.type === 'custom_profile_fields') {
      state['custom_profile_fields'] = event['fields']
      forgetOthers(state)
      return
    }
    const { user_id, custom_profile_field: answer } = event['person']
    if (answer === undefined) return
    const data = (accountOf(state, user_id) as State)['profile_data'] as Record<string, unknown>
    const { id, ...said } = answer
    if (said.value === null) delete data[id]
    else data[id] = said
  },
}

/** Removes the values of deleted fields. */
function forgetOthers(state: State): void {
  const ids = state['custom_profile_fields'].map(({ id }: { id: number }) => String(id))
  for (const { profile_data: data = {} } of [...state['realm_users'], ...state['realm_non_active_users']])
    for (const id of Object.keys(data)) if (!ids.includes(id)) delete data[id]
}
