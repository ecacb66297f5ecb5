import { createHash } from 'node:crypto'
import { toBase32 } from '#lib/security/secrets.ts'
import type { Db } from '#storage/storage.ts'
import type { EmailTemplates, RenderedEmail } from './email-template.ts'
import type { Mail } from './mail.ts'
import { oneLine } from './one-line.ts'

export type EmailSender = {
  productName: string
  /** The envelope sender, which receives bounces. */
  noReplyAddress: string
  /** Sends each email from its own unguessable `noreply-…` address at the same host. */
  tokenizedNoReply: boolean
}

/** An email as it is sent. Only its date differs between attempts. */
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

export type EmailRenderer = { templates: EmailTemplates; sender: EmailSender }

/**
 * The headers of every email. They mark the email as sent by a program, so that other programs do not reply
 * automatically.
 */
export const FIXED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** Declares to email clients that a single POST to the List-Unsubscribe address unsubscribes (RFC 8058). */
export const ONE_CLICK_HEADERS = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** Renders an email as it would be sent at `now`. Returns null if its template considers it obsolete. */
export async function renderEmail(
  db: Db,
  mail: Mail,
  { templates, sender }: EmailRenderer,
  now: number,
): Promise<EmailMessage | null> {
  const template = templates[mail.letter]
  if (template === undefined) throw new Error(`There is no email template ${mail.letter}`)

  const rendered = await template(mail.data, { db, mail, now })
  return rendered === null ? null : toEmailMessage(mail, rendered, sender, now)
}

function toEmailMessage(mail: Mail, rendered: RenderedEmail, sender: EmailSender, now: number): EmailMessage {
  const [, host = 'localhost'] = sender.noReplyAddress.split('@')
  return {
    envelope: { from: sender.noReplyAddress, to: mail.recipient },
    from: { name: oneLine(sender.productName), address: fromAddress(mail, sender) },
    to: mail.recipient,
    subject: oneLine(rendered.subject),
    text: rendered.text,
    html: rendered.html,
    messageId: `${mail.messageId}@${host}`,
    date: now,
    list: rendered.list ? { name: oneLine(rendered.list.name), host: oneLine(rendered.list.host) } : null,
    unsubscribe: rendered.unsubscribe ? oneLine(rendered.unsubscribe) : null,
  }
}

/** Derives the address from the random Message-ID, so that all attempts use the same address. */
function fromAddress(mail: Mail, { noReplyAddress, tokenizedNoReply }: EmailSender): string {
  if (!tokenizedNoReply) return noReplyAddress
  const token = toBase32(createHash('sha256').update(`from ${mail.messageId}`).digest()).slice(0, 24)
  return noReplyAddress.replace('@', `-${token}@`)
}

/**
 * Returns true for a single plain address. Inserted into an email, such an address cannot add a recipient or a header.
 */
export function isBareAddress(text: string): boolean {
  return /^[^\s\p{C}<>,;()\\@]+@[^\s\p{C}<>,;()\\@]+$/u.test(text)
}

/** Returns all headers except the MIME headers, unencoded, as email clients show them. */
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
