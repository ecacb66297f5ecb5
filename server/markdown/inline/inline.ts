import type { Token } from 'markdown-it'
import { envOf, type RenderContext } from '../context.ts'
import { dialect } from '../dialect.ts'
import type { Markup } from '../markup.ts'
import { findAutolinks } from './autolink.ts'
import { findCode } from './code-spans.ts'
import { addFinished, type MarkedText, marksToHtml } from './marks.ts'
import { plainTextToHtml } from './plain-text.ts'

/** Renders the text of one paragraph, heading or cell. */
export function inlineToHtml(typed: string, context: RenderContext): Markup {
  const { text, spans } = findCode(typed)
  context.code = [...spans]
  context.links = findAutolinks(text, context.scope)
  const tokens: Token[] = []
  dialect.inline.parse(text, dialect, envOf(context), tokens)

  const marked: MarkedText = { text: '', finished: [] }
  for (const token of tokens) {
    if (token.type === 'markup') addFinished(marked, token.content as Markup)
    else marked.text += token.content
  }
  return withoutBlankBeginnings(marksToHtml(marked, (words) => plainTextToHtml(words, context.scope)))
}

/** Removes whitespace between the beginning of a line and an element. */
function withoutBlankBeginnings(html: Markup): Markup {
  return html.replace(/<br>\n\s+(?=<|$)/g, '<br>\n') as Markup
}
