import { z } from 'zod'
import { type Attempt, deliveryState, deliveryStates, type Mail } from './mail.ts'

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
