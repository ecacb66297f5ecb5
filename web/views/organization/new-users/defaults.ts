import { call } from '../../../api/call.ts'
import type { Defaults } from '../../../store/realm-queries.ts'

/**
 * Returns the default settings. The initial state of the client does not include them, because few people need them.
 */
export async function fetchDefaults({ signal }: { signal: AbortSignal }): Promise<Defaults> {
  const types = ['realm_user_settings_defaults']
  const { queue_id, ...state } = await call(
    'POST /register',
    { event_types: types, fetch_event_types: types },
    { signal },
  )
  if (typeof queue_id === 'string') await call('DELETE /events', { queue_id })
  return state.realm_user_settings_defaults as Defaults
}
