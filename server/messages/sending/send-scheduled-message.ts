import type { Clock } from '#lib/clock.ts'
import { isDiskFull, Refusal, refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { withActingRole } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { DatabaseUnavailable, type Db, type RunTransaction, type Transaction } from '#storage/storage.ts'
import { type MessageRequest, prepareMessage, prepareNotice } from '../prepare-message.ts'
import {
  deleteScheduledMessage,
  isReminder,
  type Reminder,
  type ScheduledMessage,
  saveScheduledMessage,
} from '../scheduled-messages.ts'
import { sendMessage } from '../send-message.ts'
import { emitReminder, emitReminderRemoval, prepareReminder } from './reminders.ts'
import { emitScheduledMessageRemoval, emitScheduledMessageUpdate } from './schedule-message.ts'

export type SendingContext = { db: Db; transaction: RunTransaction; clock: Clock; log: Log }

/** The maximum delay in seconds. A message that is delayed longer fails, because it might surprise its recipients. */
const MAX_DELAY = 600

const tooLate = refusal('BAD_REQUEST', 400, 'Message could not be sent at the scheduled time.')

/** The reason that the notice to the sender gives for an internal error. */
const INTERNAL_ERROR = 'Internal server error'

/**
 * Sends the message, or records the failure and notifies the sender, in one transaction. Does nothing if the message
 * was changed or canceled since it was read. Rejects without any effect if the database is unavailable or the disk is
 * full.
 */
export async function sendScheduledMessage(context: SendingContext, due: ScheduledMessage): Promise<void> {
  const sender = await findActiveSender(context.db, due)
  const failure = sender === null ? null : await trySending(context, sender, due)
  if (sender !== null && failure === null) return
  await context.transaction((tx) => recordFailure(tx, due, failure))
}

/**
 * Returns the reason why the message could not be sent. Returns null if it was sent, or if it was changed or canceled
 * before.
 */
async function trySending({ db, transaction, clock, log }: SendingContext, sender: Actor, due: ScheduledMessage) {
  try {
    if (isReminder(due)) return await sendReminder({ db, transaction, clock, log }, sender, due)
    if (clock.now() > due.dueAt + MAX_DELAY) throw tooLate()
    const prepared = await prepareMessage(db, sender, toRequest(due), clock.now())
    await transaction(async (tx) => {
      if (!(await deleteScheduledMessage(tx, due))) return
      await sendMessage(tx, prepared)
      emitScheduledMessageRemoval(tx, due)
    })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    // The message itself is valid and was not sent, so the worker tries again.
    if (error instanceof DatabaseUnavailable || isDiskFull(error)) throw error
    log.error({ err: error, scheduledMessageId: due.id }, 'Failed to send a scheduled message')
    return INTERNAL_ERROR
  }
}

/** The number of times that a reminder is prepared again because its message has changed in the meantime. */
const MAX_ATTEMPTS = 5

/**
 * Sends the reminder, however late it is, because it surprises nobody else. The access to the message is checked in the
 * transaction that sends it.
 */
async function sendReminder({ db, transaction, clock }: SendingContext, user: Actor, due: Reminder): Promise<null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { prepared, isCurrent } = await prepareReminder(db, user, due, clock.now())
    const isDone = await transaction(async (tx) => {
      if (!(await isCurrent(tx))) return false
      if (!(await deleteScheduledMessage(tx, due))) return true
      await sendMessage(tx, prepared)
      emitReminderRemoval(tx, due)
      return true
    })
    if (isDone) return null
  }
  throw new Error('The message of a reminder changes all the time')
}

/**
 * Records that the message failed, and notifies the sender. `failure` is null if the sender is no longer active. Such a
 * sender gets no notice.
 */
async function recordFailure(tx: Transaction, due: ScheduledMessage, failure: string | null): Promise<void> {
  const failed = await saveScheduledMessage(tx, due, { failedAt: tx.now })
  if (failed === null || failure === null) return
  if (isReminder(failed)) {
    emitReminderRemoval(tx, failed)
    emitReminder(tx, failed)
  } else emitScheduledMessageUpdate(tx, failed)
  const notice = { recipientIds: [due.senderId], content: failureNotice(due, failure) }
  await sendMessage(tx, await prepareNotice(tx.db, notice))
}

function failureNotice(message: ScheduledMessage, failure: string): string {
  const time = `<time:${new Date(message.dueAt * 1000).toISOString().replace('.000Z', '+00:00')}>`
  const subject = isReminder(message) ? 'The reminder you set' : 'The message you scheduled'
  return (
    `${subject} for ${time} was not sent because of the following error:\n\n` +
    `> ${failure}\n\n[View scheduled messages](#scheduled)`
  )
}

/** Returns the sender if they can still log in. */
async function findActiveSender(db: Db, { senderId, realmId }: ScheduledMessage): Promise<Actor | null> {
  const user = await findUser(db, senderId)
  const realm = await findRealm(db, realmId)
  if (user === null || user.deactivatedAt !== null || realm === null || realm.deactivatedAt !== null) return null
  return { ...(await withActingRole(db, user)), realm }
}

function toRequest({ channelId, recipientIds, topic, content, client, isReadBySender }: ScheduledMessage) {
  const to = channelId === null ? { people: [...recipientIds] } : { channel: channelId, topic }
  const request: MessageRequest = { to, content, client, isReadBySender, localEcho: null, isDeferred: true }
  return request
}
