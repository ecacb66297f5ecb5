import TurndownService from 'turndown'
import { codeBlock, escapeMarks } from '#integrations/markdown.ts'

/** The maximum length of HTML that is converted, in UTF-16 units; the rest is left out. */
const MAX_HTML = 500_000

/** The maximum length of an address; longer ones are not linked. */
const MAX_ADDRESS = 2000

/** Elements that mail programs put around the email that is answered, and around signatures. */
const QUOTE_CLASS =
  /\b(?:gmail_quote|gmail_attr|moz-cite-prefix|yahoo_quoted|protonmail_quote|tutanota_quote|OutlookMessageHeader)\b/
const QUOTE_ID = /^(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container)$/
const SIGNATURE_CLASS = /\b(?:gmail_signature|moz-signature|protonmail_signature_block)\b/

type Options = { keepsQuotes: boolean; keepsSignature: boolean }

/**
 * Returns the content of an email in HTML as Markdown. Text is escaped, so that it mentions nobody; pictures are left
 * out, so that nobody loads them; links lead to web pages and email addresses only.
 */
export function htmlToMarkdown(html: string, { keepsQuotes, keepsSignature }: Options): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '*',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
    strongDelimiter: '**',
    br: '',
  })
  service.escape = escapeMarks
  service.remove(['head', 'title', 'style', 'script', 'noscript', 'template', 'iframe', 'object', 'audio', 'video'])
  service.remove((node) => (!keepsQuotes && isQuote(node)) || (!keepsSignature && isSignature(node)) || isHidden(node))
  service.addRule('picture', { filter: 'img', replacement: () => '' })
  service.addRule('preformatted', {
    filter: 'pre',
    replacement: (_, node) => `\n\n${codeBlock(node.textContent).markdown}\n\n`,
  })
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => toLink(content, node.getAttribute('href') ?? ''),
  })
  service.addRule('list item', {
    filter: 'li',
    replacement: (content, node) =>
      `${markerOf(node)} ${content
        .trim()
        .replace(/\n{2,}/g, '\n')
        .replaceAll('\n', '\n  ')}\n`,
  })
  // Layout in mails is made of tables, which Markdown cannot have: cells become text.
  service.addRule('cell', { filter: ['td', 'th'], replacement: (content) => `${content.trim()} ` })
  service.addRule('row', { filter: 'tr', replacement: (content) => `\n${content.trim()}\n` })
  service.addRule('struck', { filter: (node) => /^(?:DEL|S|STRIKE)$/.test(node.nodeName), replacement: strike })
  return service
    .turndown(html.slice(0, MAX_HTML))
    .replace(/[@#](?=_?\*)/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[ \t]+$|^ (?=\S)/gm, '')
}

type Element = { nodeName: string; getAttribute(name: string): string | null }

const classesOf = (node: Element) => String(node.getAttribute('class') ?? '')

const isQuote = (node: Element): boolean =>
  QUOTE_CLASS.test(classesOf(node)) ||
  QUOTE_ID.test(node.getAttribute('id') ?? '') ||
  (node.nodeName === 'BLOCKQUOTE' && node.getAttribute('type') === 'cite')

const isSignature = (node: Element): boolean => SIGNATURE_CLASS.test(classesOf(node))

/** Pictures made of text, and text that mail programs show nobody. */
const isHidden = (node: Element): boolean =>
  /^svg$/i.test(node.nodeName) || /display\s*:\s*none/i.test(node.getAttribute('style') ?? '')

const strike = (content: string) => (content.trim() === '' ? content : `~~${content.trim()}~~`)

function markerOf(node: unknown): string {
  const { parentNode: list } = node as { parentNode: (Element & { children: ArrayLike<unknown> }) | null }
  if (list?.nodeName !== 'OL') return '*'
  const start = Number(list.getAttribute('start') ?? 1)
  return `${(Number.isSafeInteger(start) ? start : 1) + Array.prototype.indexOf.call(list.children, node)}.`
}

/** Returns a link, or only its text if the address is none of the web or of email. */
function toLink(content: string, href: string): string {
  const label = content.replace(/\s+/g, ' ').trim().replaceAll('[', '&#91;').replaceAll(']', '&#93;')
  const address = href
    .trim()
    .toWellFormed()
    .replace(/[\s<>"'`\\()[\]]/g, percentEncode)
  if (label === '' || address.length > MAX_ADDRESS || !/^(?:https?:\/\/[^/\s]|mailto:\S)/i.test(address)) return label
  return label === address || `mailto:${label}` === address ? label : `[${label}](${address})`
}

const percentEncode = (character: string) => Buffer.from(character).toString('hex').replace(/../g, '%$&')
