import type { Listener } from './dialogue.ts'
import type { Message } from './message.ts'

/** What became of a mail: `deferred` may be tried again, `refused` may not; `kept` lies in the outbox to be read. */
export type Delivery = {
  outcome: 'sent' | 'kept' | 'deferred' | 'refused'
  reply: string
  /** What whoever runs the server can do about it. */
  advice?: string
}

/** The way out. Whatever the other side does is a delivery; only a bug throws. */
export type Transport = {
  /** `listen` is told what passes between us and the relay. */
  send(message: Message, listen?: Listener): Promise<Delivery>
  /** How many mails it takes at once; 4, when omitted. */
  readonly concurrency?: number
  /** Breaks off what is under way, which ends as deferred. */
  close(): void
}

/** Without a relay: mails stay in the outbox, where the owner reads them. */
export const keepTransport: Transport = {
  send: async () => ({ outcome: 'kept', reply: 'There is no relay (SMTP_URL)' }),
  close: () => {},
}
