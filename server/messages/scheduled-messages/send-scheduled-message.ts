import { findRealm } from '../../organizations/realms/queries.ts'
import { withActingRole } from '../../people/users/bots/acting-role.ts'
import { findUser } from '../../people/users/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import { isDiskFull } from '../../platform/errors/disk-full.ts'
import { Refusal, refusal } from '../../platform/errors/refusal.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { DatabaseUnavailable } from '../../platform/storage/engine.ts'
import type { Db, RunTransaction, Transaction } from '../../platform/storage/storage.ts'
import { prepareNotice } from '../sending/notices.ts'
import { type MessageRequest, prepareMessage } from '../sending/prepare-message.ts'
import { saveMessage } from '../sending/send-message.ts'
import { deleteScheduledMessage, saveScheduledMessage } from './queries.ts'
import { emitScheduledMessageRemoval, emitScheduledMessageUpdate } from './schedule-message.ts'
import type { ScheduledMessage } from './scheduled-message.ts'

/** All that it takes to send what is due. */
export type SendingContext = { db: Db; transaction: RunTransaction; clock: Clock; log: Log }

/** Seconds after its time during which a message is still sent: later it would surprise those who receive it. */
const MAX_DELAY = 600

const tooLate = refusal('BAD_REQUEST', 400, 'Message could not be sent at the scheduled time.')

/** What senders are told of errors that are not theirs. */
const INTERNAL_ERROR = 'Internal server error'

/**
 * Sends the message, or records that it could not be sent and tells its sender why: either is one transaction, after
 * which it is due no more. Nothing happens to one that was changed or cancelled since it was read. Rejects, with nothing
 * done, where the database could not be asked or has no room.
 */
export async function sendScheduledMessage(room: SendingContext, due: ScheduledMessage): Promise<void> {
  const sender = await findActiveSender(room.db, due)
  const failure = sender === null ? null : await trySending(room, sender, due)
  if (sender !== null && failure === null) return
  await room.transaction((tx) => recordFailure(tx, due, failure))
}

/** Why the message could not be sent; null when it was, or had no need to be any more. */
async function trySending({ db, transaction, clock, log }: SendingContext, sender: Actor, due: ScheduledMessage) {
  try {
    if (clock.now() > due.dueAt + MAX_DELAY) throw tooLate()
    const prepared = await prepareMessage(db, sender, toRequest(due), clock.now())
    await transaction(async (tx) => {
      if (!(await deleteScheduledMessage(tx, due))) return
      await saveMessage(tx, prepared)
      emitScheduledMessageRemoval(tx, due)
    })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    // Nothing is wrong with the message, and nothing of it was sent: it is tried again.
    if (error instanceof DatabaseUnavailable || isDiskFull(error)) throw error
    log.error({ err: error, scheduledMessageId: due.id }, 'A scheduled message could not be sent')
    return INTERNAL_ERROR
  }
}

/** Where there is no `failure` to tell, nobody is there to read it. */
async function recordFailure(tx: Transaction, due: ScheduledMessage, failure: string | null): Promise<void> {
  const failed = await saveScheduledMessage(tx, due, { failedAt: tx.now })
  if (failed === null || failure === null) return
  emitScheduledMessageUpdate(tx, failed)
  const notice = { recipientIds: [due.senderId], content: failureNotice(due, failure) }
  await saveMessage(tx, await prepareNotice(tx.db, notice))
}

function failureNotice({ dueAt }: ScheduledMessage, failure: string): string {
  const time = `<time:${new Date(dueAt * 1000).toISOString().replace('.000Z', '+00:00')}>`
  return (
    `The message you scheduled for ${time} was not sent because of the following error:\n\n` +
    `> ${failure}\n\n[View scheduled messages](#scheduled)`
  )
}

/** Who has scheduled the message, if they could still sign in. */
async function findActiveSender(db: Db, { senderId, realmId }: ScheduledMessage): Promise<Actor | null> {
  const user = await findUser(db, senderId)
  const realm = await findRealm(db, realmId)
  if (user === null || user.deactivatedAt !== null || realm === null || realm.deactivatedAt !== null) return null
  return { ...(await withActingRole(db, user)), realm }
}

function toRequest({ channelId, recipientIds, topic, content, client, isReadBySender }: ScheduledMessage) {
  const to = channelId === null ? { people: [...recipientIds] } : { channel: channelId, topic }
  const request: MessageRequest = { to, content, client, isReadBySender, localEcho: null, isSentLater: true }
  return request
}
