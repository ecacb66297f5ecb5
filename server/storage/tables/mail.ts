import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type MailTables = {
  mails: {
    id: Generated<number>
    realmId: number | null
    recipient: string
    /** The recipient in lower case. */
    recipientKey: string
    /** The template and its data. The email is rendered when it is sent or displayed, so that no link is stored. */
    letter: string
    data: Json
    invitationId: number | null
    /** The part before the @ of the Message-ID header. It is the same at each attempt. */
    messageId: string
    createdAt: number
    /** `queued`, `sent`, `failed`, `cancelled` or `kept` (there is no relay; it can be read in the outbox). */
    state: string
    /** The time of the next attempt; null if the email is not queued. */
    dueAt: number | null
    attempts: number
    /** The last reply of the relay, or the connection error. */
    reply: string | null
    endedAt: number | null
  }
  mailAttempts: {
    id: Generated<number>
    mailId: number
    startedAt: number
    /** Null while the attempt is in progress, and permanently if the process ended during it. */
    endedAt: number | null
    /** `sent`, `deferred`, `refused`, `kept` or `cancelled`. */
    outcome: string | null
    reply: string | null
    /** The SMTP dialogue with the relay, one line each, without the email and without credentials. */
    dialogue: string | null
  }
  /** People without an account who have unsubscribed from an organization's emails. */
  mailRefusals: { realmId: number; recipientKey: string; refusedAt: number }
}
