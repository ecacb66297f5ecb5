import type { Token } from 'markdown-it'
import type { RenderContext } from '../context.ts'
import { endTag, joinMarkup, type Markup, newline, nothing, startTag, type Tag } from '../markup.ts'
import { formulasToHtml } from './formulas.ts'
import { listingToHtml } from './listing.ts'
import { inlineWithLaterPreviews, paragraphToHtml } from './paragraph-to-html.ts'

/** The elements of blocks that tokens name. */
const TAGS: Record<string, Tag> = {
  ...{ blockquote: 'blockquote', ul: 'ul', ol: 'ol', li: 'li', p: 'p', table: 'table', thead: 'thead', tbody: 'tbody' },
  ...{ tr: 'tr', th: 'th', td: 'td', h1: 'h1', h2: 'h2', h3: 'h3', h4: 'h4', h5: 'h5', h6: 'h6' },
}

/** Those whose content begins on the line after the tag. */
const AIRY = new Set<Tag>(['blockquote', 'ul', 'ol', 'table', 'thead', 'tbody', 'tr'])

/** Every block ends its line; clients count on where lines end. */
export function blocksToHtml(tokens: readonly Token[], context: RenderContext): Markup {
  let html = nothing
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as Token
    html = joinMarkup(html, blockToHtml(token, tokens, index, context))
    // A paragraph is written whole: what opens it, its text, and what closes it.
    if (token.type === 'paragraph_open') index += 2
  }
  return html
}

function blockToHtml(token: Token, tokens: readonly Token[], index: number, context: RenderContext): Markup {
  switch (token.type) {
    case 'paragraph_open':
      return paragraphToHtml(tokens[index + 1]?.content ?? '', token.hidden, context)
    case 'inline':
      return inlineWithLaterPreviews(token.content, context)
    case 'formulas':
      if (context.scope.writers === null) return joinMarkup(listingToHtml(token.content, 'tex', null), newline)
      return joinMarkup(formulasToHtml(token.content, context.scope.writers), newline)
    case 'code_block':
    case 'listing':
      return joinMarkup(listingToHtml(token.content, token.info, context.scope.writers), newline)
    case 'hr':
      return joinMarkup(startTag('hr'), newline)
    case 'spoiler_open':
      return joinMarkup(
        startTag('div', { class: 'spoiler-block' }),
        startTag('div', { class: 'spoiler-header' }),
        newline,
      )
    case 'spoiler_content':
      return joinMarkup(endTag('div'), startTag('div', { class: 'spoiler-content', 'aria-hidden': 'true' }), newline)
    case 'spoiler_close':
      return joinMarkup(endTag('div'), endTag('div'), newline)
  }
  if (token.type === 'blockquote_open') context.quotes++
  if (token.type === 'blockquote_close') context.quotes--
  const tag = TAGS[token.tag]
  if (!tag) throw new Error(`no way to write ${token.type}`)
  return token.nesting === 1 ? opening(token, tag, tokens[index + 1]) : joinMarkup(endTag(tag), newline)
}

function opening(token: Token, tag: Tag, next: Token | undefined): Markup {
  const start = token.attrGet('start')
  const style = token.attrGet('style')
  const html = startTag(tag, {
    ...(start !== null && { start: String(start) }),
    ...(style !== null && { style: String(style) }),
  })
  const beginsLine = AIRY.has(tag) || (tag === 'li' && next?.hidden === false && next.type !== 'item_close')
  return beginsLine ? joinMarkup(html, newline) : html
}
