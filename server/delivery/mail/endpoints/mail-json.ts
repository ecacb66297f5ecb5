import { z } from 'zod'
import { type Attempt, deliveryState, deliveryStates, type Mail } from '../mail.ts'

const time = z.int().nullable()

const state = z
  .enum(deliveryStates)
  .describe(
    '`queued`: not tried yet; `deferred`: to be tried again; `sent`: accepted by the relay; `failed`: refused for good, ' +
      'or tried often enough; `kept`: there is no relay; `cancelled`: not to be sent any more.',
  )

/** How far a mail came. */
export const deliveryJson = z.object({
  state,
  queued_at: z.int(),
  next_attempt_at: time.describe('Null unless it waits to be sent.'),
  attempts: z.int().describe('Since it was queued, or since somebody asked for a retry.'),
  reply: z.string().nullable().describe("The relay's last words, or the error that stood in their way."),
  ended_at: time.describe('When it was sent, failed, kept or cancelled.'),
})

export type DeliveryJson = z.infer<typeof deliveryJson>

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
  letter: z.string().describe('What kind of letter it is.'),
  recipient: z.string().nullable().describe("Null, and with it the relay's words, when the caller may not see it."),
  invite_id: z.int().nullable(),
})

export type MailJson = z.infer<typeof mailJson>

/** Without the address, and what the relay said and may have repeated it in, unless the viewer may see it. */
export function toMailJson(mail: Mail, isAddressed: boolean): MailJson {
  const { id, letter, recipient, reply, invitationId } = mail
  return {
    ...toDeliveryJson(mail),
    ...{ id, letter, invite_id: invitationId },
    ...(isAddressed ? { recipient, reply } : { recipient: null, reply: null }),
  }
}

export const attemptJson = z.object({
  started_at: z.int(),
  ended_at: time.describe('Null while it is under way, and for good when the server ended meanwhile.'),
  outcome: z.enum(['sent', 'deferred', 'refused', 'kept', 'cancelled']).nullable(),
  reply: z.string().nullable(),
  dialogue: z
    .string()
    .nullable()
    .describe('What passed between server and relay, a line each: `> ` ours, `< ` theirs, `* ` notes.'),
})

export type AttemptJson = z.infer<typeof attemptJson>

export function toAttemptJson(attempt: Attempt, isAddressed: boolean): AttemptJson {
  const { startedAt, endedAt, outcome, reply, dialogue } = attempt
  return {
    ...{ started_at: Math.floor(startedAt), ended_at: toTime(endedAt), outcome },
    ...(isAddressed ? { reply, dialogue } : { reply: null, dialogue: null }),
  }
}

const toTime = (moment: number | null) => (moment === null ? null : Math.floor(moment))
