import { type Html, html } from '#lib/encoding/html.ts'
import { linkTo, rich } from '#lib/text/rich.ts'
import { oneLine } from './one-line.ts'

/** A paragraph, a button with a link, a list, a heading, or a quoted message. */
export type EmailBlock =
  | string
  | { button: string; url: string }
  | { items: readonly string[] }
  | { heading: string }
  | { from: string; quote: QuotedText }

/** A quoted message, as plain text with one or several lines, and as HTML that loads nothing from other servers. */
export type QuotedText = { text: string; html: Html }

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
const FROM = 'margin:16px 0 4px;font-weight:600'
const SAID = 'margin:0 0 16px;padding-left:12px;border-left:3px solid #94a3b8'

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
    return html`<p style="${FROM}">${oneLine(block.from)}</p>\n<div style="${SAID}">${block.quote.html}</div>\n`
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
