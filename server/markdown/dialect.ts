import createParser, { type MarkdownIt } from 'markdown-it'
import { autolink } from './inline/autolink.ts'
import { channelLink } from './inline/channel-link.ts'
import { code } from './inline/code.ts'
import { link } from './inline/link.ts'
import { math } from './inline/math.ts'
import { groupMention, userMention } from './inline/mention.ts'
import { text } from './inline/text.ts'
import { timestamp } from './inline/timestamp.ts'

/** The rules in order of precedence. */
const INLINE_RULES = { code, userMention, math, channelLink, timestamp, groupMention, link, autolink, text }

/**
 * The parser of text inside blocks; `blocks/` finds the blocks. Emphasis, emoji and line breaks are handled afterwards
 * in the remaining text, because links and code take precedence over them, wherever they start.
 */
export const dialect = buildDialect()

function buildDialect(): MarkdownIt {
  const parser = new createParser('zero', { html: false, maxNesting: 1000 })
  const inline = parser.inline.ruler
  for (const [name, rule] of Object.entries(INLINE_RULES)) inline.push(`chat ${name}`, rule)
  inline.enableOnly(Object.keys(INLINE_RULES).map((name) => `chat ${name}`))
  parser.inline.ruler2.enableOnly([])
  return parser
}
