import type { Token } from 'markdown-it'
import { envOf, type RenderContext } from '../context.ts'
import { plainTextToHtml } from '../emoji.ts'
import { element, type Markup } from '../markup.ts'
import { findCode } from './code-spans.ts'
import { dialect } from './dialect.ts'
import { findAutolinks } from './link.ts'

/**
 * In the text, a number between these two characters stands for finished markup. No message contains the characters.
 */
const OPENING = '\u0002'
const CLOSING = '\u0003'
export const PLACEHOLDERS = /[\u0002\u0003]/g

type Wrap = (content: Markup) => Markup
/**
 * The marks in order of precedence: later marks apply only inside earlier ones. A mark is skipped if its sign does not
 * occur.
 */
const MARKS: readonly [sign: string, pattern: RegExp, wrap: Wrap][] = [
  ['***', /\*\*\*(?!\s)([^*^\n]+)(?<!\s)\*\*\*/g, (content) => element('strong', {}, element('em', {}, content))],
  ['**', /\*\*([^\n]+?)\*\*/g, (content) => element('strong', {}, content)],
  ['*', /\*(?!\s)([^*^\n]+)(?<!\s)\*/g, (content) => element('em', {}, content)],
  ['~~', /(?<!~)~~([^~\n]+?)~~(?!~)/g, (content) => element('del', {}, content)],
]

/** A text that contains finished markup and is being built. */
type MarkedText = { text: string; readonly finished: Markup[] }

/** Adds finished markup. Later rules do not look into it. */
function addFinished(marked: MarkedText, html: Markup): void {
  marked.text += hold(marked.finished, html)
}

/**
 * Renders strong, emphasized and deleted text, each within one line. `toHtml` renders the text inside and between the
 * marks.
 */
function marksToHtml({ text, finished }: MarkedText, toHtml: (words: string) => Markup): Markup {
  return applyMarks(text, finished, toHtml, 0)
}

function applyMarks(text: string, finished: Markup[], toHtml: (words: string) => Markup, from: number): Markup {
  let rest = text
  for (let index = from; index < MARKS.length; index++) {
    const [sign, pattern, wrap] = MARKS[index] as (typeof MARKS)[number]
    if (!rest.includes(sign)) continue
    rest = rest.replace(pattern, (_, content) => hold(finished, wrap(applyMarks(content, finished, toHtml, index + 1))))
  }
  if (!rest.includes(OPENING)) return toHtml(rest)
  const parts = rest.split(/\u0002(\d+)\u0003/)
  return parts.map((part, index) => (index % 2 === 0 ? toHtml(part) : finished[Number(part)])).join('') as Markup
}

function hold(finished: Markup[], html: Markup): string {
  finished.push(html)
  return `${OPENING}${finished.length - 1}${CLOSING}`
}

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
