import type { Settings } from '#config.ts'
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

/** Sends emails. Every response or failure of a relay is returned as a result. Only bugs throw errors. */
export type MailTransport = {
  /** Calls `listen` with each line that the server and the relay exchange. */
  send(message: EmailMessage, listen?: DialogueListener): Promise<DeliveryResult>
  /** The maximum number of emails sent at a time, not counting slow ones; 4 if omitted. */
  readonly concurrency?: number
  /** Aborts the emails in progress, which are deferred. */
  close(): void
}

/** The transport without a relay: emails stay in the outbox, where an administrator of the server can read them. */
export const storeOnlyTransport: MailTransport = {
  send: async () => ({ outcome: 'kept', reply: 'No mail relay is configured (SMTP_URL)' }),
  close: () => {},
}

/** Returns whether emails leave the outbox. Test servers deliver them to their mailbox. */
export const sendsEmail = ({ settings, isDisposable }: { settings: Settings; isDisposable: boolean }): boolean =>
  isDisposable || settings.SMTP_URL !== ''
