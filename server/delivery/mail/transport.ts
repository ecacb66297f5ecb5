import type { DialogueListener } from './dialogue.ts'
import type { EmailMessage } from './email-message.ts'

/** What became of a mail: `deferred` may be tried again, `refused` may not; `kept` lies in the outbox to be read. */
export type DeliveryResult = {
  outcome: 'sent' | 'kept' | 'deferred' | 'refused'
  reply: string
  /** What whoever runs the server can do about it. */
  advice?: string
}

/** The way out. Whatever the other side does is a delivery; only a bug throws. */
export type MailTransport = {
  /** `listen` is told what passes between us and the relay. */
  send(message: EmailMessage, listen?: DialogueListener): Promise<DeliveryResult>
  /** How many mails it takes at once; 4, when omitted. */
  readonly concurrency?: number
  /** Breaks off what is under way, which ends as deferred. */
  close(): void
}

/** Without a relay: mails stay in the outbox, where the owner reads them. */
export const storeOnlyTransport: MailTransport = {
  send: async () => ({ outcome: 'kept', reply: 'There is no relay (SMTP_URL)' }),
  close: () => {},
}
