import PostalMime, { type Address, type Email } from 'postal-mime'
import { withoutQuotes, withoutSignature } from './quotes.ts'

/** The email, and how its text is read. */
export type MailTask = {
  raw: Uint8Array
  options: { keepsQuotes: boolean; keepsFooter: boolean; prefersHtml: boolean }
}

/** An attached file. Its name is the one that the sender chose. */
export type MailFile = { name: string; bytes: Uint8Array }

/** The parts of an email that become a message. All texts are well-formed, without control characters. */
export type ReadMail = {
  from: { name: string; address: string }
  /** On one line, with prefixes such as `Re:`. */
  subject: string
  messageId: string
  /** Markdown, or plain text that is taken as such. */
  body: string
  isHtml: boolean
  files: MailFile[]
  /** The number of attached files beyond the maximum. */
  omittedFiles: number
  /** The values of the headers that `automatic.ts` reads, by name in lower case. */
  headers: Record<string, string>
  /** The number of servers that the email passed. */
  hops: number
}

/** The maximum nesting of MIME parts, and the maximum size of all headers in bytes. */
const LIMITS = { maxNestingDepth: 30, maxHeadersSize: 256 * 1024 }

const MAX_FILES = 20

/** Longer texts are cut before they are searched for quotes. A message has at most 10,000 characters. */
const MAX_TEXT = 200_000

const KEPT_HEADERS = new Set('auto-submitted precedence list-id x-autoreply x-autorespond return-path'.split(' '))

/** Reads an email. Throws if its MIME structure exceeds the limits. */
export async function readMail(raw: Uint8Array, options: MailTask['options']): Promise<ReadMail> {
  const email = await PostalMime.parse(raw, { ...LIMITS, forceRfc822Attachments: true })
  const subject = oneLine(email.subject ?? '', 1000)
  const isForwarded = /^\s*(?:fwd?|wg|tr|rv|i|enc)\s*:/i.test(subject)
  const { body, isHtml } = await readBody(email, { ...options, keepsQuotes: options.keepsQuotes || isForwarded })
  const files = email.attachments.filter(
    ({ mimeType }) => !/^application\/(?:pgp|pkcs7|x-pkcs7)-signature$/.test(mimeType),
  )
  return {
    from: readFrom(email.from),
    subject,
    messageId: oneLine(email.messageId ?? '', 1000),
    body,
    isHtml,
    files: files.slice(0, MAX_FILES).map(({ filename, mimeType, content }) => ({
      name: oneLine(filename ?? '', 200) || nameFor(mimeType),
      bytes: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
    })),
    omittedFiles: Math.max(0, files.length - MAX_FILES),
    headers: Object.fromEntries(
      email.headers.filter(({ key }) => KEPT_HEADERS.has(key)).map(({ key, value }) => [key, oneLine(value, 500)]),
    ),
    hops: email.headers.filter(({ key }) => key === 'received').length,
  }
}

function readFrom(from: Address | undefined): ReadMail['from'] {
  const mailbox = from?.group?.[0] ?? from
  return { name: oneLine(mailbox?.name ?? '', 100), address: oneLine(mailbox?.address ?? '', 320) }
}

const nameFor = (mimeType: string): string =>
  mimeType === 'message/rfc822' ? 'message.eml' : `attachment.${/\/([a-z0-9]{1,10})$/.exec(mimeType)?.[1] ?? 'bin'}`

async function readBody(
  { text, html }: Email,
  { prefersHtml, keepsQuotes, keepsFooter }: MailTask['options'],
): Promise<{ body: string; isHtml: boolean }> {
  const isHtml = html !== undefined && (prefersHtml || text === undefined || text.trim() === '')
  let body = cleanText(isHtml ? await convert(html, { keepsQuotes, keepsSignature: keepsFooter }) : (text ?? ''))
  // A mail program may mark all of an email as a quote.
  if (body === '' && isHtml && !keepsQuotes)
    body = cleanText(await convert(html, { keepsQuotes: true, keepsSignature: true }))
  // The signature is below the quote, or between the answer and the quote.
  if (!keepsFooter) body = withoutSignature(body)
  if (!keepsQuotes) body = withoutQuotes(body)
  if (!keepsFooter) body = withoutSignature(body)
  return { body: body.replace(/\n{3,}/g, '\n\n'), isHtml }
}

async function convert(html: string, options: { keepsQuotes: boolean; keepsSignature: boolean }): Promise<string> {
  const { htmlToMarkdown } = await import('./html-to-markdown.ts')
  return htmlToMarkdown(html, options)
}

/** Returns text with line breaks of one kind, without control characters other than tabs. */
const cleanText = (text: string): string =>
  text
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replace(/\r\n?|[\p{Zl}\p{Zp}]/gu, '\n')
    .replace(/(?![\n\t])[\p{Cc}\p{Noncharacter_Code_Point}]/gu, '')
    .trim()

/** Returns text on one line. Marks that change the writing direction are removed: they make names look like others. */
const oneLine = (text: string, length: number): string =>
  text
    .slice(0, length)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
