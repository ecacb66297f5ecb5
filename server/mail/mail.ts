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
