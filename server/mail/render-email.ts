import { createHash } from 'node:crypto'
import { type Html, html } from '#lib/html.ts'
import { toBase32 } from '#lib/secrets.ts'
import { linkTo, rich } from '#lib/text.ts'
import type { Db } from '#storage/storage.ts'
import type { Mail } from './outbox.ts'

// Emails as they are sent: layout, headers and sender. A template only provides blocks of text; everything in them is
// escaped, links lead to web pages only, and no header can be added by data. A template is rendered again for each
// attempt, so an email never contains an outdated link.

export type RenderedEmail = {
  /** One line. Line breaks become spaces. */
  subject: string
  text: string
  html: string
  /** The organization that sends the email. Its name and host form the List-Id header. */
  list?: { name: string; host: string }
  /** The address for the List-Unsubscribe header; see `unsubscribePath`. */
  unsubscribe?: string
  /** The address for replies. Without one, replies are not delivered. */
  replyTo?: string
}

export type TemplateContext = { db: Db; mail: Mail; now: number }

/**
 * Renders an email from the data in the outbox. Returns null if the email must no longer be sent; the server then
 * cancels it.
 */
type EmailTemplate = (data: unknown, context: TemplateContext) => Promise<RenderedEmail | null> | RenderedEmail | null

/** All templates by name. `queueMail` takes the name of a template. */
export type EmailTemplates = Readonly<Record<string, EmailTemplate>>

/** A paragraph, a button with a link, a list, a heading, or a quoted message. */
export type EmailBlock =
  | string
  | { button: string; url: string }
  | { items: readonly string[] }
  | { heading: string }
  | { from: string; quote: QuotedText }

/** A quoted message, as plain text with one or several lines, and as HTML that loads nothing from other servers. */
export type QuotedText = { text: string; html: Html }

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
  replyTo: string | null
}

export type EmailRenderer = { templates: EmailTemplates; sender: EmailSender }

/**
 * Replaces line breaks, control characters and marks that change the writing direction, so that the text fits into a
 * header.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
}

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
    replyTo: rendered.replyTo ?? null,
  }
}

/** Derives the address from the random Message-ID, so that all attempts use the same address. */
function fromAddress(mail: Mail, { noReplyAddress, tokenizedNoReply }: EmailSender): string {
  if (!tokenizedNoReply) return noReplyAddress
  const token = toBase32(createHash('sha256').update(`from ${mail.messageId}`).digest()).slice(0, 26)
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
    ...(message.replyTo !== null && { 'Reply-To': message.replyTo }),
    Subject: message.subject,
    'Message-ID': `<${message.messageId}>`,
    Date: new Date(message.date * 1000).toUTCString().replace('GMT', '+0000'),
    ...FIXED_HEADERS,
    ...(message.list && { 'List-Id': `"${message.list.name.replace(/["\\]/g, '\\$&')}" <${message.list.host}>` }),
    ...(message.unsubscribe && { 'List-Unsubscribe': `<${message.unsubscribe}>`, ...ONE_CLICK_HEADERS }),
  }
}

/** The content of an email. Its strings are plain text, in which line breaks and control characters become spaces. */
type EmailPage = {
  heading: string
  blocks: readonly EmailBlock[]
  /** The reason why the recipient gets the email, in small print at the end. */
  footer: string
  /** A link after the footer that unsubscribes from emails like this one. */
  footerLink?: { label: string; url: string }
}

/** Renders an email as plain text and as HTML with the same content. The HTML loads nothing from other servers. */
export function renderLayout(page: EmailPage): { text: string; html: string } {
  return { text: toText(page), html: toHtml(page).html }
}

function toText({ heading, blocks, footer, footerLink: ending }: EmailPage): string {
  const end = ending ? `\n${oneLine(ending.label)}: ${webAddress(ending.url)}` : ''
  const paragraphs = [oneLine(heading), ...blocks.map(blockToText), `-- \n${oneLine(footer)}${end}`]
  return `${paragraphs.join('\n\n')}\n`
}

function blockToText(block: EmailBlock): string {
  if (typeof block === 'string') return oneLine(block)
  if ('button' in block) return `${oneLine(block.button)}:\n${webAddress(block.url)}`
  if ('heading' in block) return oneLine(block.heading)
  if ('from' in block) return `${oneLine(block.from)}:\n${block.quote.text.replace(/^/gm, '> ')}`
  return block.items.map((item) => `- ${oneLine(item)}`).join('\n')
}

const PAGE = 'margin:0;padding:24px 16px;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
/**
 * Breaks long words, because links and names are often wider than the screen of a phone. `word-break: break-word` is
 * for older email clients, which do not know `overflow-wrap`.
 */
const COLUMN = 'max-width:560px;margin:0 auto;word-break:break-word;overflow-wrap:anywhere'
const HEADING = 'font-size:22px;line-height:1.3;margin:0 0 16px'
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#007273;color:#ffffff;font-weight:600;text-decoration:none'
const SMALL = 'font-size:14px'
const SUBHEADING = 'font-size:18px;line-height:1.3;margin:24px 0 8px'
const AUTHOR = 'margin:16px 0 4px;font-weight:600'
const QUOTE = 'margin:0 0 16px;padding-left:12px;border-left:3px solid #94a3b8'

function toHtml({ heading, blocks, footer, footerLink: ending }: EmailPage): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${oneLine(heading)}</title>
</head>
<body style="${PAGE}">
<div style="${COLUMN}">
<h1 style="${HEADING}">${oneLine(heading)}</h1>
${blocks.map(blockToHtml)}<hr>
<p style="${SMALL}">${oneLine(footer)}${ending && html`<br>\n<a href="${webAddress(ending.url)}">${oneLine(ending.label)}</a>`}</p>
</div>
</body>
</html>
`
}

function blockToHtml(block: EmailBlock): Html {
  if (typeof block === 'string') return html`<p>${oneLine(block)}</p>\n`
  if ('items' in block) return html`<ul>${block.items.map((item) => html`<li>${oneLine(item)}</li>`)}</ul>\n`
  if ('heading' in block) return html`<h2 style="${SUBHEADING}">${oneLine(block.heading)}</h2>\n`
  if ('from' in block)
    return html`<p style="${AUTHOR}">${oneLine(block.from)}</p>\n<div style="${QUOTE}">${block.quote.html}</div>\n`
  const url = webAddress(block.url)
  return html`<p><a href="${url}" style="${BUTTON}">${oneLine(block.button)}</a></p>
<p style="${SMALL}">${rich('Or open this address: <a>{url}</a>', { url, a: linkTo(url) })}</p>
`
}

/** Throws for an address that is not a web page, such as `javascript:`. */
function webAddress(url: string): string {
  const { protocol, href } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('Emails may only link to web pages')
  return href
}
