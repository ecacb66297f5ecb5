import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage } from '../access.ts'
import { messageContainsNull, unableToRender } from '../content.ts'
import { findReminders, reminderJson, tooManyScheduled, toReminderJson } from '../scheduled-messages.ts'
import {
  cancelReminder,
  changeReminder,
  emptyReminderChange,
  noSuchReminder,
  noteTooLong,
  prepareNote,
  setReminder,
} from '../sending/reminders.ts'
import { notInFuture } from '../sending/schedule-message.ts'
import { textQuotaExceeded } from '../text-quota.ts'
import { deliveryTime } from './scheduled-messages.ts'

const time = deliveryTime.describe('The time at which the reminder is sent, in UNIX seconds.')
const note = z.string().describe('A note for yourself, in Markdown: at most 500 characters.')
const noteRefusals = [messageContainsNull, noteTooLong, unableToRender]

const getReminders = endpoint({
  route: 'GET /reminders',
  summary: 'List your reminders',
  description: 'In the order of their times, including reminders that could not be sent.',
  who: 'user',
  returns: { reminders: z.array(reminderJson) },
  async handle({ db, actor }) {
    const found = await findReminders(db, actor.id)
    return { reminders: found.map(toReminderJson) }
  },
})

const postReminder = endpoint({
  route: 'POST /reminders',
  summary: 'Set a reminder of a message',
  description:
    'Notification Bot sends you a direct message at this time, with a link to the message and a quote of it as it is then. If ' +
    'you can no longer read the message, it has your note only.',
  who: 'user',
  params: { message_id: z.int(), scheduled_delivery_timestamp: time, note: note.default('') },
  returns: { reminder_id: z.int() },
  refuses: [...noteRefusals, notInFuture, invalidMessage, tooManyScheduled, textQuotaExceeded],
  async handle(call, { message_id: messageId, scheduled_delivery_timestamp: dueAt, note: given }) {
    const { db, actor, clock, client } = call
    if (dueAt <= clock.now()) throw notInFuture()
    const note = await prepareNote(viewerOf(db, actor, clock.now()), given)
    return { reminder_id: await call.transaction((tx) => setReminder(tx, actor, { messageId, dueAt, note, client })) }
  },
})

const patchReminder = endpoint({
  route: 'PATCH /reminders/{reminder_id}',
  summary: 'Change a reminder',
  description: 'A reminder that could not be sent is sent again and needs a new time.',
  who: 'user',
  params: { scheduled_delivery_timestamp: time.optional(), note: note.optional() },
  refuses: [...noteRefusals, emptyReminderChange, notInFuture, noSuchReminder, textQuotaExceeded],
  async handle({ db, transaction, actor, clock }, given) {
    const { reminder_id: id, scheduled_delivery_timestamp: dueAt, note: text } = given
    if (dueAt === undefined && text === undefined) throw emptyReminderChange()
    if (dueAt !== undefined && dueAt <= clock.now()) throw notInFuture()
    const note = text === undefined ? undefined : await prepareNote(viewerOf(db, actor, clock.now()), text)
    await transaction((tx) => changeReminder(tx, actor, id, { note, dueAt }))
    return {}
  },
})

const deleteReminder = endpoint({
  route: 'DELETE /reminders/{reminder_id}',
  summary: 'Delete a reminder',
  who: 'user',
  refuses: [noSuchReminder],
  async handle({ transaction, actor }, { reminder_id }) {
    await transaction((tx) => cancelReminder(tx, actor, reminder_id))
    return {}
  },
})

export const reminderEndpoints = [getReminders, postReminder, patchReminder, deleteReminder]
