import type { Token } from 'markdown-it'
import { envOf, type RenderContext } from '../context.ts'
import { dialect } from '../dialect.ts'
import type { Markup } from '../markup.ts'
import { findAutolinks } from './autolink.ts'
import { addFinished, type Marked, marksToHtml } from './marks.ts'
import { wordsToHtml } from './words.ts'

/** The text of one paragraph, heading or cell. */
export function inlineToHtml(text: string, context: RenderContext): Markup {
  context.links = findAutolinks(text, context.scope)
  const tokens: Token[] = []
  dialect.inline.parse(text, dialect, envOf(context), tokens)

  const marked: Marked = { text: '', finished: [] }
  for (const token of tokens) {
    if (token.type === 'markup') addFinished(marked, token.content as Markup)
    else marked.text += token.content
  }
  return marksToHtml(marked, (words) => wordsToHtml(words, context.scope))
}
