import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction } from '../../platform/storage/storage.ts'
import { type DialogueListener, recordDialogue } from './dialogue.ts'
import { type EmailMessage, type EmailRenderer, isBareAddress, renderEmail } from './email-message.ts'
import type { AttemptOutcome, Mail } from './mail.ts'
import { nextAttemptAt } from './mail.ts'
import { finishAttempt, finishMail, saveAttempt, saveDeferral } from './queries.ts'
import type { MailTransport } from './transport.ts'
import { hasUnsubscribed } from './unsubscribe.ts'

/** All that it takes to send a mail. */
export type MailContext = EmailRenderer & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  transport: MailTransport
}

/** Seconds until an attempt is made again that a dying process left open, where `nextAttemptAt` allows no other. */
const LAST_GRACE = 60

/**
 * Makes one attempt and records what became of it. The attempt is counted before it is made: a process that dies in
 * between leaves a mail that may be sent once more, not at once, and with the same Message-ID.
 */
export async function deliverMail(room: MailContext, mail: Mail): Promise<void> {
  const { transaction, clock } = room
  const attempts = mail.attempts + 1
  const begun = await transaction(async (tx) => {
    const id = await saveAttempt(tx, mail, nextAttemptAt(attempts, tx.now) ?? tx.now + LAST_GRACE)
    return id === null ? null : { id, now: tx.now }
  })
  if (begun === null) return

  const dialogue = recordDialogue()
  const { outcome, reply } = await attempt(room, mail, begun.now, dialogue.listen)
  const retryAt = outcome === 'deferred' ? nextAttemptAt(attempts, clock.now()) : null
  const state = outcome === 'deferred' || outcome === 'refused' ? 'failed' : outcome
  await transaction(async (tx) => {
    await finishAttempt(tx, begun.id, { outcome, reply, dialogue: dialogue.text() })
    if (retryAt !== null) await saveDeferral(tx, mail.id, retryAt, reply ?? '')
    else await finishMail(tx, mail.id, state, reply)
  })

  const facts = { mailId: mail.id, letter: mail.letter, attempts, reply }
  if (retryAt !== null) room.log.warn({ ...facts, retryAt }, 'Mail deferred')
  else if (state === 'failed') room.log.error(facts, 'Mail failed')
  else room.log.info(facts, `Mail ${state}`)
}

/** A letter that cannot be written is a bug, logged; it is deferred, so that a mended server sends it yet. */
async function attempt(
  { db, log, transport, ...stationery }: MailContext,
  mail: Mail,
  now: number,
  listen: DialogueListener,
): Promise<{ outcome: AttemptOutcome; reply: string | null }> {
  if (!isBareAddress(mail.recipient)) return { outcome: 'refused', reply: 'The recipient is not one bare address' }
  try {
    const message = await renderEmail(db, mail, stationery, now)
    if (message === null) return { outcome: 'cancelled', reply: null }
    if (await isUnwanted(db, mail, message))
      return { outcome: 'refused', reply: 'The recipient wants no more of these' }
    return await transport.send(message, listen)
  } catch (error) {
    log.error({ mailId: mail.id, letter: mail.letter, err: error }, 'A letter could not be written')
    return { outcome: 'deferred', reply: 'The letter could not be written: see the server log' }
  }
}

/** Whoever has an account chooses in its settings, whatever was said at the address before. */
async function isUnwanted(
  db: Db,
  { realmId, recipient, invitationId }: Mail,
  { unsubscribe }: EmailMessage,
): Promise<boolean> {
  return unsubscribe !== null && realmId !== null && invitationId !== null && hasUnsubscribed(db, realmId, recipient)
}
