import { byId, type Reducer } from '../reducer.ts'

export const scheduledMessageReducer: Reducer = {
  eventTypes: ['scheduled_messages'],
  apply(state, { op, scheduled_messages: added = [], scheduled_message: changed, scheduled_message_id: goneId }) {
    const id = op === 'update' ? changed.scheduled_message_id : goneId
    const others = state['scheduled_messages'].filter(
      (one: { scheduled_message_id: number }) => one.scheduled_message_id !== id,
    )
    state['scheduled_messages'] = [...others, ...added, ...(op === 'update' ? [changed] : [])]
  },
  normalize(state) {
    state['scheduled_messages'] = byId(state['scheduled_messages'], 'scheduled_message_id')
  },
}

export const reminderReducer: Reducer = {
  eventTypes: ['reminders'],
  apply(state, { reminders: added = [], reminder_id: goneId }) {
    const others = state['reminders'].filter((one: { reminder_id: number }) => one.reminder_id !== goneId)
    state['reminders'] = [...others, ...added]
  },
  normalize(state) {
    if (state['reminders'] !== undefined) state['reminders'] = byId(state['reminders'], 'reminder_id')
  },
}
