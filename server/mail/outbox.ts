import { createHmac, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets, toBase32 } from '#lib/secrets.ts'
import { defineQuery, idsIn, insertRows, stringList, stringsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The outbox. An email is queued in the transaction of the change that it is about, so it is sent if the change was
// committed, and only then. It stores data rather than text, and neither links nor secrets. Its state and attempts
// are what administrators see. An address without an account can refuse further invitations of an organization.

/** A `queued` email waits for its first or next attempt. All other states are final unless an administrator retries. */
export type MailState = 'queued' | 'sent' | 'failed' | 'cancelled' | 'kept'

/** An email in the outbox. */
export type Mail = {
  id: number
  realmId: number | null
  recipient: string
  /** The name of the template that renders `data`. */
  letter: string
  data: unknown
  invitationId: number | null
  /** The part of the Message-ID header before the @. */
  messageId: string
  createdAt: number
  state: MailState
  /** Null unless the email is queued. */
  dueAt: number | null
  attempts: number
  /** The last reply of the relay, or the error that prevented one. */
  reply: string | null
  endedAt: number | null
}

/** An attempt to send an email. All fields but `startedAt` are null while it is in progress, or if the process crashed. */
export type Attempt = {
  startedAt: number
  endedAt: number | null
  outcome: AttemptOutcome | null
  reply: string | null
  dialogue: string | null
}

export type AttemptOutcome = 'sent' | 'deferred' | 'refused' | 'kept' | 'cancelled'

/** An email to one address. Its data must be JSON, and must contain no link and no secret. */
export type QueuedMail = {
  /** Null for emails of the installation itself. */
  realmId: number | null
  /** A validated address without a display name. An email to '', a user without an address, is canceled. */
  recipient: string
  /** The name of its email template. */
  letter: string
  data: unknown
  invitationId?: number
  /** The time at which the email is sent; at once if omitted. */
  dueAt?: number
}

/**
 * The delivery states that the API shows: `sent` was accepted by the relay, `deferred` will be tried again, `failed` was
 * refused or used up its attempts, `kept` is stored because there is no relay, `cancelled` became obsolete.
 */
export const deliveryStates = ['queued', 'deferred', 'sent', 'failed', 'kept', 'cancelled'] as const

export type DeliveryState = (typeof deliveryStates)[number]

export function deliveryState({ state, attempts, reply }: Mail): DeliveryState {
  return state === 'queued' && attempts > 0 && reply !== null ? 'deferred' : state
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds between one attempt and the next. There are 22 attempts in a little under three days. */
const PAUSES = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, ...Array<number>(17).fill(4 * HOUR)]

/**
 * Returns when an email is due again after this many attempts, the last one at `now`; null if there is no further
 * attempt.
 */
export function nextAttemptAt(attempts: number, now: number): number | null {
  const pause = PAUSES[attempts - 1]
  return pause === undefined ? null : now + pause
}

/** Seconds for which canceled emails stay in the outbox. */
export const CANCELED_LIFETIME = 30 * 86_400

const time = z.int().nullable()

const state = z
  .enum(deliveryStates)
  .describe(
    '`queued`: no attempt yet; `deferred`: will be tried again; `sent`: accepted by the relay; `failed`: refused, or ' +
      'out of attempts; `kept`: stored because there is no relay; `cancelled`: obsolete.',
  )

export const deliveryJson = z.object({
  state,
  queued_at: z.int(),
  next_attempt_at: time.describe('Null unless the email is waiting to be sent.'),
  attempts: z.int().describe('Since the email was queued or retried.'),
  reply: z.string().nullable().describe('The last reply of the relay, or the error that prevented one.'),
  ended_at: time.describe('When the email was sent, failed, kept or canceled.'),
})

type DeliveryJson = z.infer<typeof deliveryJson>

export function toDeliveryJson(mail: Mail): DeliveryJson {
  return {
    state: deliveryState(mail),
    queued_at: Math.floor(mail.createdAt),
    next_attempt_at: toTime(mail.dueAt),
    attempts: mail.attempts,
    reply: mail.reply,
    ended_at: toTime(mail.endedAt),
  }
}

export const mailJson = deliveryJson.extend({
  id: z.int(),
  letter: z.string().describe('The name of the email template.'),
  recipient: z.string().nullable().describe('Null, like `reply`, if the caller may not see the address.'),
  invite_id: z.int().nullable(),
})

export type MailJson = z.infer<typeof mailJson>

/**
 * Leaves out the recipient's address unless `showsAddress` is true. Also leaves out the reply of the relay, which may
 * contain the address.
 */
export function toMailJson(mail: Mail, showsAddress: boolean): MailJson {
  const { id, letter, recipient, reply, invitationId } = mail
  return {
    ...toDeliveryJson(mail),
    ...{ id, letter, invite_id: invitationId },
    ...(showsAddress ? { recipient, reply } : { recipient: null, reply: null }),
  }
}

export const attemptJson = z.object({
  started_at: z.int(),
  ended_at: time.describe(
    'Null while the attempt is in progress. Stays null if the server stopped during the attempt.',
  ),
  outcome: z.enum(['sent', 'deferred', 'refused', 'kept', 'cancelled']).nullable(),
  reply: z.string().nullable(),
  dialogue: z
    .string()
    .nullable()
    .describe('The SMTP session, one line each: `> ` from the server, `< ` from the relay, `* ` notes.'),
})

export type AttemptJson = z.infer<typeof attemptJson>

export function toAttemptJson(attempt: Attempt, showsAddress: boolean): AttemptJson {
  const { startedAt, endedAt, outcome, reply, dialogue } = attempt
  return {
    ...{ started_at: Math.floor(startedAt), ended_at: toTime(endedAt), outcome },
    ...(showsAddress ? { reply, dialogue } : { reply: null, dialogue: null }),
  }
}

const toTime = (moment: number | null) => (moment === null ? null : Math.floor(moment))

/** Adds an email to the outbox. The email worker sends it after the commit. Returns its id. */
export async function queueMail(tx: Transaction, mail: QueuedMail): Promise<number> {
  const { id } = await tx.insertInto('mails').values(toRow(tx, mail)).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Adds many emails to the outbox, like `queueMail`. */
export function queueMails(tx: Transaction, mails: readonly QueuedMail[]): void {
  insertRows(
    tx,
    'mails',
    mails.map((mail) => toRow(tx, mail)),
  )
}

function toRow(tx: Transaction, mail: QueuedMail) {
  const hasRecipient = mail.recipient !== ''
  return {
    realmId: mail.realmId,
    recipient: mail.recipient,
    recipientKey: mail.recipient.toLowerCase(),
    letter: mail.letter,
    data: JSON.stringify(mail.data),
    invitationId: mail.invitationId ?? null,
    messageId: toBase32(tx.random.bytes(20)),
    createdAt: tx.now,
    state: hasRecipient ? 'queued' : 'cancelled',
    dueAt: hasRecipient ? (mail.dueAt ?? tx.now) : null,
    attempts: 0,
    reply: null,
    endedAt: hasRecipient ? null : tx.now,
  }
}

/**
 * Selects the emails of some invitations, the emails with one template to some addresses in any organization, or all
 * emails of an organization.
 */
type MailSelector =
  | { invitationIds: readonly number[] }
  | { recipients: readonly string[]; letter: string }
  | { realmId: number }

/** Finds and locks queued emails, always in the same order. */
const waiting = (db: Db) =>
  db.selectFrom('mails').select('id').where('state', '=', 'queued').orderBy('id').forNoKeyUpdate()

const waitingOf = defineQuery((db, invitationIds: string) =>
  waiting(db).where('invitationId', 'in', idsIn(db.dialect, invitationIds)),
)

const waitingTo = defineQuery((db, letter: string, recipientKeys: string) =>
  waiting(db).where('letter', '=', letter).where('recipientKey', 'in', stringsIn(db.dialect, recipientKeys)),
)

async function findWaiting({ db }: Transaction, of: MailSelector): Promise<{ id: number }[]> {
  if ('realmId' in of) return waiting(db).where('realmId', '=', of.realmId).execute()
  if ('invitationIds' in of) return waitingOf(db, JSON.stringify(of.invitationIds))
  return waitingTo(db, of.letter, stringList(of.recipients.map((recipient) => recipient.toLowerCase())))
}

/** Cancels the selected emails that are still queued. */
export async function cancelMails(tx: Transaction, of: MailSelector): Promise<void> {
  const mails = await findWaiting(tx, of)
  if (mails.length === 0) return
  const ids = JSON.stringify(mails.map(({ id }) => id))
  await tx
    .updateTable('mails')
    .set({ state: 'cancelled', dueAt: null, endedAt: tx.now })
    .where('id', 'in', idsIn(tx.db.dialect, ids))
    .execute()
}

/**
 * Makes an email due now, and resets its attempts. Returns false if the email does not exist, or was sent or canceled.
 */
export async function retryMail(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mails')
    .set({ state: 'queued', dueAt: tx.now, attempts: 0, endedAt: null })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'failed', 'kept'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

// Unsubscribed addresses. The link in an email proves its address, so that nobody can unsubscribe others.

/** An address, in lower case, to which an organization sends no more invitations. */
type Unsubscription = { realmId: number; recipientKey: string }

/** Returns the path of the organization's page where the recipient of an email can unsubscribe. */
export function unsubscribePath(secret: KeyObject, realmId: number, recipient: string): string {
  return `/accounts/unsubscribe/${unsubscribeKey(secret, { realmId, recipientKey: recipient.toLowerCase() })}`
}

function unsubscribeKey(secret: KeyObject, { realmId, recipientKey }: Unsubscription): string {
  const seal = createHmac('sha256', secret).update(JSON.stringify(['unsubscribe', realmId, recipientKey]))
  return `${Buffer.from(recipientKey).toString('base64url')}.${seal.digest('base64url')}`
}

/**
 * Returns the unsubscription that the key contains; null if this server did not create the key for the organization.
 */
export function readUnsubscribeKey(secret: KeyObject, realmId: number, key: string): Unsubscription | null {
  const [encoded = ''] = key.split('.')
  const unsubscriber = { realmId, recipientKey: Buffer.from(encoded, 'base64url').toString() }
  return equalSecrets(key, unsubscribeKey(secret, unsubscriber)) ? unsubscriber : null
}

export async function saveUnsubscription(tx: Transaction, unsubscriber: Unsubscription): Promise<void> {
  await tx
    .insertInto('mailRefusals')
    .values({ ...unsubscriber, refusedAt: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function hasUnsubscribed(db: Db, realmId: number, recipient: string): Promise<boolean> {
  const row = await db
    .selectFrom('mailRefusals')
    .select('refusedAt')
    .where('realmId', '=', realmId)
    .where('recipientKey', '=', recipient.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}
