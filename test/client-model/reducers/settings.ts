import type { Reducer } from '../reducer.ts'

/** The user's own settings, in their newer and older forms. */
export const settingsReducer: Reducer = {
  eventTypes: ['user_settings', 'update_display_settings', 'update_global_notifications'],
  apply(state, event) {
    switch (event.type) {
      case 'user_settings':
        state['user_settings'][event['property']] = event['value']
        break
      case 'update_display_settings':
        state[event['setting_name']] = event['setting']
        break
      case 'update_global_notifications':
        state[event['notification_name']] = event['setting']
    }
  },
}
