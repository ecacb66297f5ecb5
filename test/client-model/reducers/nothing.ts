import type { Reducer } from '../reducer.ts'

/** Events that do not change the state, and fields that belong to one response. */
export const nothingReducer: Reducer = {
  eventTypes: [
    'heartbeat',
    'typing',
    'typing_edit_message',
    'presence',
    'reaction',
    'submessage',
    'invites_changed',
    'bot_commands',
    'realm_export',
    'realm_export_consent',
    'attachment',
  ],
  ignoreKnownDifferences(kept, fresh) {
    const ofTheMoment = [
      ...['queue_id', 'last_event_id', 'server_timestamp', 'msg', 'result', 'status', 'ignored_parameters_unsupported'],
      // Only some presence updates become events.
      ...['presences', 'presence_last_update_id'],
    ]
    for (const field of ofTheMoment) {
      delete kept[field]
      delete fresh[field]
    }
  },
}
