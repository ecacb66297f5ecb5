import type { Token } from 'markdown-it'
import type { RenderContext } from '../context.ts'
import { element, endTag, type Html, joinHtml, newline, nothing, startTag, type Tag } from '../html.ts'
import { inlineToHtml } from '../inline/inline.ts'
import { listingToHtml } from './listing.ts'

/** The elements of blocks that tokens name. */
const TAGS: Record<string, Tag> = {
  ...{ blockquote: 'blockquote', ul: 'ul', ol: 'ol', li: 'li', p: 'p', table: 'table', thead: 'thead', tbody: 'tbody' },
  ...{ tr: 'tr', th: 'th', td: 'td', h1: 'h1', h2: 'h2', h3: 'h3', h4: 'h4', h5: 'h5', h6: 'h6' },
} as const
/** Those whose content begins on the line after the tag. */
const AIRY = new Set<Tag>(['blockquote', 'ul', 'ol', 'table', 'thead', 'tbody', 'tr'])
const ALIGNMENTS: Record<string, string> = {
  'text-align:left': 'text-align: left;',
  'text-align:center': 'text-align: center;',
  'text-align:right': 'text-align: right;',
}

/** Every block ends its line; clients count on where lines end. */
export function blocksToHtml(tokens: readonly Token[], context: RenderContext): Html {
  return joinHtml(...tokens.map((token, index) => blockToHtml(token, tokens, index, context)))
}

function blockToHtml(token: Token, tokens: readonly Token[], index: number, context: RenderContext): Html {
  if (token.hidden) return nothing
  switch (token.type) {
    case 'inline':
      return inlineToHtml(token.content, context)
    case 'code_block':
    case 'listing':
      return joinHtml(listingToHtml(token.content, token.info), newline)
    case 'hr':
      return joinHtml(startTag('hr'), newline)
    case 'spoiler_open':
      return joinHtml(
        startTag('div', { class: 'spoiler-block' }),
        startTag('div', { class: 'spoiler-header' }),
        newline,
      )
    case 'spoiler_content':
      return joinHtml(endTag('div'), startTag('div', { class: 'spoiler-content', 'aria-hidden': 'true' }), newline)
    case 'spoiler_close':
      return joinHtml(endTag('div'), endTag('div'), newline)
  }
  if (token.type === 'blockquote_open') context.quotes++
  if (token.type === 'blockquote_close') context.quotes--
  const tag = TAGS[token.tag]
  if (!tag) throw new Error(`no way to write ${token.type}`)
  return token.nesting === 1 ? opening(token, tag, tokens[index + 1]) : closing(tag, tokens, index)
}

function opening(token: Token, tag: Tag, next: Token | undefined): Html {
  const start = token.attrGet('start')
  const style = ALIGNMENTS[String(token.attrGet('style'))]
  const html = startTag(tag, { ...(start !== null && { start: String(start) }), ...(style && { style }) })
  const beginsLine = AIRY.has(tag) || (tag === 'li' && next?.hidden === false && next.type !== 'item_close')
  return beginsLine ? joinHtml(html, newline) : html
}

function closing(tag: Tag, tokens: readonly Token[], index: number): Html {
  const html = joinHtml(endTag(tag), newline)
  const isWholeTable = tag === 'thead' && tokens[index + 1]?.type === 'table_close'
  return isWholeTable ? joinHtml(html, emptyBody(tokens.slice(0, index))) : html
}

/** Clients expect a body: a table without rows has one of empty cells. */
function emptyBody(before: readonly Token[]): Html {
  const columns = before.slice(before.findLastIndex((token) => token.type === 'thead_open'))
  const cells = columns
    .filter((token) => token.type === 'th_open')
    .map(() => joinHtml(element('td', {}, nothing), newline))
  const row = joinHtml(startTag('tr'), newline, ...cells, endTag('tr'), newline)
  return joinHtml(startTag('tbody'), newline, row, endTag('tbody'), newline)
}
