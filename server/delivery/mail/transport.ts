import type { DialogueListener } from './dialogue.ts'
import type { EmailMessage } from './email-message.ts'

/**
 * The outcome of sending an email. A `deferred` email may be tried again, a `refused` one may not; a `kept` one stays
 * in the outbox.
 */
export type DeliveryResult = {
  outcome: 'sent' | 'kept' | 'deferred' | 'refused'
  reply: string
  /** Advice for the administrator of the server. */
  advice?: string
}

/** Sends emails. Anything that a relay does is a result; only a bug throws. */
export type MailTransport = {
  /** Calls `listen` with each line that the server and the relay exchange. */
  send(message: EmailMessage, listen?: DialogueListener): Promise<DeliveryResult>
  /** The number of emails that it sends at a time; 4 if omitted. */
  readonly concurrency?: number
  /** Aborts the emails in progress, which are deferred. */
  close(): void
}

/** The transport without a relay: emails stay in the outbox, where an administrator of the server can read them. */
export const storeOnlyTransport: MailTransport = {
  send: async () => ({ outcome: 'kept', reply: 'No mail relay is configured (SMTP_URL)' }),
  close: () => {},
}
