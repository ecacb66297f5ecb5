import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { type DialogueListener, recordDialogue } from './dialogue.ts'
import { type EmailMessage, type EmailRenderer, isBareAddress, renderEmail } from './email-message.ts'
import { type AttemptOutcome, type Mail, nextAttemptAt } from './mail.ts'
import { finishAttempt, finishMail, saveAttempt, saveDeferral } from './queries.ts'
import type { MailTransport } from './transport.ts'
import { hasUnsubscribed } from './unsubscribe.ts'

export type MailContext = EmailRenderer & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  transport: MailTransport
}

/** If the process crashes during the last attempt, that attempt is repeated after this many seconds. */
const LAST_GRACE = 60

/**
 * Makes one attempt to send an email and records its outcome. The attempt is counted before it is made: if the process
 * crashes in between, the email may later be sent a second time, with the same Message-ID.
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
  if (retryAt !== null) room.log.warn({ ...facts, retryAt }, 'Email deferred')
  else if (state === 'failed') room.log.error(facts, 'Email failed')
  else room.log.info(facts, `Email ${state}`)
}

/**
 * Sends the email. If it cannot be rendered, that is a bug: the error is logged and the email is deferred, so that the
 * server sends it once the bug is fixed.
 */
async function attempt(
  { db, log, transport, ...renderer }: MailContext,
  mail: Mail,
  now: number,
  listen: DialogueListener,
): Promise<{ outcome: AttemptOutcome; reply: string | null }> {
  if (!isBareAddress(mail.recipient))
    return { outcome: 'refused', reply: 'The recipient is not a single plain address' }
  try {
    const message = await renderEmail(db, mail, renderer, now)
    if (message === null) return { outcome: 'cancelled', reply: null }
    if (await isUnwanted(db, mail, message)) return { outcome: 'refused', reply: 'The recipient has unsubscribed' }
    return await transport.send(message, listen)
  } catch (error) {
    log.error({ mailId: mail.id, letter: mail.letter, err: error }, 'Could not render an email')
    return { outcome: 'deferred', reply: 'The email could not be rendered. See the server log.' }
  }
}

/** Returns true for an invitation to an address that has unsubscribed. Users with accounts unsubscribe in their settings. */
async function isUnwanted(
  db: Db,
  { realmId, recipient, invitationId }: Mail,
  { unsubscribe }: EmailMessage,
): Promise<boolean> {
  return unsubscribe !== null && realmId !== null && invitationId !== null && hasUnsubscribed(db, realmId, recipient)
}
