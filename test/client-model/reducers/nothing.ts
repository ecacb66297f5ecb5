import type { Reducer } from '../reducer.ts'

/** Events that change nothing of the state, and fields that are of the moment of asking. */
export const nothingReducer: Reducer = {
  eventTypes: [
    'heartbeat',
    'typing',
    'typing_edit_message',
    'presence',
    'reaction',
    'submessage',
    'invites_changed',
    'realm_export_consent',
    'attachment',
  ],
  ignoreKnownDifferences(kept, fresh) {
    const ofTheMoment = [
      ...['queue_id', 'last_event_id', 'server_timestamp', 'msg', 'result', 'status', 'ignored_parameters_unsupported'],
      // Thinned by design.
      ...['presences', 'presence_last_update_id'],
    ]
    for (const field of ofTheMoment) {
      delete kept[field]
      delete fresh[field]
    }
  },
}
