/** `queued` waits for its first or its next attempt; all others are final, until somebody asks for a retry. */
export type MailState = 'queued' | 'sent' | 'failed' | 'cancelled' | 'kept'

/** A mail in the outbox: which letter to whom, and how far it came. */
export type Mail = {
  id: number
  realmId: number | null
  recipient: string
  /** Which letter writer fills it in, and with what. */
  letter: string
  data: unknown
  invitationId: number | null
  /** What stands before the @ in the Message-ID header. */
  messageId: string
  createdAt: number
  state: MailState
  /** Null unless it is queued. */
  dueAt: number | null
  attempts: number
  /** The relay's last words, or the error that stood in their way. */
  reply: string | null
  endedAt: number | null
}

/** What came of an attempt to send a mail; all but its beginning is null while it is under way or was broken off. */
export type Attempt = {
  startedAt: number
  endedAt: number | null
  outcome: AttemptOutcome | null
  reply: string | null
  dialogue: string | null
}

export type AttemptOutcome = 'sent' | 'deferred' | 'refused' | 'kept' | 'cancelled'

/**
 * How far a mail came, as people are told: `sent` was accepted by the relay, `deferred` waits to be tried again,
 * `failed` was refused or tried often enough, `kept` has no relay to go to, `cancelled` was not to be sent any more.
 */
export const deliveryStates = ['queued', 'deferred', 'sent', 'failed', 'kept', 'cancelled'] as const

export type DeliveryState = (typeof deliveryStates)[number]

export function deliveryState({ state, attempts, reply }: Mail): DeliveryState {
  return state === 'queued' && attempts > 0 && reply !== null ? 'deferred' : state
}

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds between one attempt and the next: 22 attempts in a little under three days. */
const PAUSES = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, ...Array<number>(17).fill(4 * HOUR)]

/** When a mail is due again that was tried `attempts` times, the last time at `now`; null when it has been enough. */
export function nextAttemptAt(attempts: number, now: number): number | null {
  const pause = PAUSES[attempts - 1]
  return pause === undefined ? null : now + pause
}
