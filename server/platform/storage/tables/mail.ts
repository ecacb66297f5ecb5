import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type MailTables = {
  mails: {
    id: Generated<number>
    realmId: number | null
    recipient: string
    /** The recipient in lower case. */
    recipientKey: string
    /** Which letter, and what it is filled with: rendered when sent or shown, so that no link lies at rest. */
    letter: string
    data: Json
    invitationId: number | null
    /** What stands before the @ in the Message-ID header: the same at each attempt. */
    messageId: string
    createdAt: number
    /** `queued`, `sent`, `failed`, `cancelled` or `kept` (there is no relay; it can be read in the outbox). */
    state: string
    /** When it is due, at first or again; a mail that is not queued has none. */
    dueAt: number | null
    attempts: number
    /** The relay's last words, or the error that stood in their way. */
    reply: string | null
    endedAt: number | null
  }
  mailAttempts: {
    id: Generated<number>
    mailId: number
    startedAt: number
    /** Null while it is under way, and for good when the process ended meanwhile. */
    endedAt: number | null
    /** `sent`, `deferred`, `refused`, `kept` or `cancelled`. */
    outcome: string | null
    reply: string | null
    /** What passed between us and the relay, a line each; without the mail and without credentials. */
    dialogue: string | null
  }
  /** Who wants no more mail from an organization without an account there. */
  mailRefusals: { realmId: number; recipientKey: string; refusedAt: number }
}
