import { createHash } from 'node:crypto'
import { toBase32 } from '../../platform/security/secrets.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { EmailTemplates, RenderedEmail } from './email-template.ts'
import type { Mail } from './mail.ts'
import { oneLine } from './one-line.ts'

/** In whose name mails are sent. */
export type EmailSender = {
  productName: string
  /** The envelope's sender, to which bounces go. */
  noReplyAddress: string
  /** Whether each mail comes from an address of its own, which nobody can guess: `noreply-…@` the same host. */
  tokenizedNoReply: boolean
}

/** A mail as it goes out: the same at each attempt but for its date. */
export type EmailMessage = {
  envelope: { from: string; to: string }
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  /** Without angle brackets. */
  messageId: string
  /** UNIX seconds. */
  date: number
  list: { name: string; host: string } | null
  unsubscribe: string | null
}

/** What mails are written with. */
export type EmailRenderer = { templates: EmailTemplates; sender: EmailSender }

/** Headers of every mail: it was sent by a program, and no program shall answer it. */
export const FIXED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** At the address of List-Unsubscribe, one POST suffices (RFC 8058). */
export const ONE_CLICK_HEADERS = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** Writes a mail out as it is, or would be, sent at `now`; null when its writer says that it no longer holds. */
export async function renderEmail(
  db: Db,
  mail: Mail,
  { templates: writers, sender }: EmailRenderer,
  now: number,
): Promise<EmailMessage | null> {
  const writer = writers[mail.letter]
  if (writer === undefined) throw new Error(`No letter is called ${mail.letter}`)

  const letter = await writer(mail.data, { db, mail, now })
  return letter === null ? null : toEmailMessage(mail, letter, sender, now)
}

function toEmailMessage(mail: Mail, letter: RenderedEmail, sender: EmailSender, now: number): EmailMessage {
  const [, host = 'localhost'] = sender.noReplyAddress.split('@')
  return {
    envelope: { from: sender.noReplyAddress, to: mail.recipient },
    from: { name: oneLine(sender.productName), address: fromAddress(mail, sender) },
    to: mail.recipient,
    subject: oneLine(letter.subject),
    text: letter.text,
    html: letter.html,
    messageId: `${mail.messageId}@${host}`,
    date: now,
    list: letter.list ? { name: oneLine(letter.list.name), host: oneLine(letter.list.host) } : null,
    unsubscribe: letter.unsubscribe ? oneLine(letter.unsubscribe) : null,
  }
}

/** Follows from the mail's random Message-ID, so that each attempt comes from the same address. */
function fromAddress(mail: Mail, { noReplyAddress, tokenizedNoReply }: EmailSender): string {
  if (!tokenizedNoReply) return noReplyAddress
  const token = toBase32(createHash('sha256').update(`from ${mail.messageId}`).digest()).slice(0, 24)
  return noReplyAddress.replace('@', `-${token}@`)
}

/** Whether a text is one bare address, which cannot become a second recipient or a header wherever it is put. */
export function isBareAddress(text: string): boolean {
  return /^[^\s\p{C}<>,;()\\@]+@[^\s\p{C}<>,;()\\@]+$/u.test(text)
}

/** All headers but those of MIME, unencoded, as the recipient's program shows them. */
export function emailHeaders(message: EmailMessage): Record<string, string> {
  return {
    From: `${message.from.name} <${message.from.address}>`,
    To: message.to,
    Subject: message.subject,
    'Message-ID': `<${message.messageId}>`,
    Date: new Date(message.date * 1000).toUTCString().replace('GMT', '+0000'),
    ...FIXED_HEADERS,
    ...(message.list && { 'List-Id': `"${message.list.name.replace(/["\\]/g, '\\$&')}" <${message.list.host}>` }),
    ...(message.unsubscribe && { 'List-Unsubscribe': `<${message.unsubscribe}>`, ...ONE_CLICK_HEADERS }),
  }
}
