import type { Clock } from '#lib/runtime/clock.ts'
import { emailHeaders } from './email-message.ts'
import type { MailTransport } from './transport.ts'

export type CollectedMail = {
  /** Ids ascend, and a mailbox never reuses one. */
  id: number
  to: string[]
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  sentAt: number
}

/** A transport that delivers to a mailbox in memory, where tests read the emails. */
export type Mailbox = MailTransport & {
  /** Returns the emails, oldest first. `to` ignores upper and lower case. */
  mails(filter?: { to?: string; afterId?: number }): CollectedMail[]
  empty(): void
}

export function openMailbox(clock: Clock): Mailbox {
  let lastId = 0
  let collected: CollectedMail[] = []
  return {
    async send(message) {
      const headers = emailHeaders(message)
      const { subject, text, html } = message
      lastId += 1
      collected.push({
        id: lastId,
        to: [message.to],
        from: headers.From ?? '',
        subject,
        text,
        html,
        headers,
        sentAt: clock.now(),
      })
      return { outcome: 'sent', reply: '250 Collected' }
    },
    mails({ to, afterId = 0 } = {}) {
      const key = to?.toLowerCase()
      return collected.filter(
        (mail) => mail.id > afterId && (key === undefined || mail.to.some((address) => address.toLowerCase() === key)),
      )
    },
    empty() {
      collected = []
    },
    // Emails are sent one at a time, so that they arrive in the same order as in the outbox.
    concurrency: 1,
    close: () => {},
  }
}
