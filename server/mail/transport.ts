import { format } from 'node:util'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { type EmailMessage, emailHeaders } from './emails.ts'

// The ways in which an email leaves the outbox: through a relay, into a mailbox of tests, or not at all. A failure of
// a relay is a result, never an exception. A recorded session contains no credentials.

/** Sends emails. Every response or failure of a relay is returned as a result. Only bugs throw errors. */
export type MailTransport = {
  /** Calls `listen` with each line that the server and the relay exchange. */
  send(message: EmailMessage, listen?: DialogueListener): Promise<DeliveryResult>
  /** The maximum number of emails sent at a time, not counting slow ones; 4 if omitted. */
  readonly concurrency?: number
  /** Aborts the emails in progress, which are deferred. */
  close(): void
}

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

/**
 * Receives each line of an SMTP session. Lines of this server start with `> `, lines of the relay with `< `, and
 * connection events with `* `.
 */
export type DialogueListener = (line: string) => void

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

/** The transport without a relay: emails stay in the outbox, where an administrator of the server can read them. */
export const storeOnlyTransport: MailTransport = {
  send: async () => ({ outcome: 'kept', reply: 'No mail relay is configured (SMTP_URL)' }),
  close: () => {},
}

/** Returns whether emails leave the outbox. Test servers deliver them to their mailbox. */
export const sendsEmail = ({ settings, isDisposable }: { settings: Settings; isDisposable: boolean }): boolean =>
  isDisposable || settings.SMTP_URL !== ''

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

const LINES = 100
const LINE_LENGTH = 500

/** Records a session: at most 100 lines of 500 characters. */
export function recordDialogue(): { listen: DialogueListener; text(): string | null } {
  const lines: string[] = []
  return {
    listen(line) {
      if (lines.length < LINES) lines.push(line.slice(0, LINE_LENGTH))
    },
    text: () => (lines.length === 0 ? null : lines.join('\n')),
  }
}

type Entry = { tnx?: string; outByteCount?: number }
type LogLine = (entry: Entry, message: string, ...values: unknown[]) => void

/**
 * Returns a logger for nodemailer that passes on the session without the email itself and without the credentials. `mask`
 * removes other secrets.
 */
export function dialogueLog(
  listen: DialogueListener,
  mask: (line: string) => string,
): Record<'debug' | 'info', LogLine> {
  let authenticates = false

  function passOn({ tnx, outByteCount }: Entry, text: string): void {
    if (tnx === 'client') listen(`> ${maskOurs(text)}`)
    else if (tnx === 'server') for (const line of text.split(/\r?\n/)) listen(`< ${maskTheirs(line)}`)
    else if (tnx === 'network') listen(`* ${text}`)
    else if (outByteCount !== undefined) listen(`> (the mail: ${outByteCount} bytes)`)
  }

  function maskOurs(line: string): string {
    const [verb, method] = line.split(' ')
    if (verb?.toUpperCase() === 'AUTH') {
      authenticates = true
      return `AUTH ${method} ***`
    }
    return authenticates ? '***' : line
  }

  function maskTheirs(line: string): string {
    if (!line.startsWith('334')) authenticates = false
    return mask(line)
  }

  const log: LogLine = (entry, message, ...values) => passOn(entry, format(message, ...values))
  return { debug: log, info: log }
}
