import { escapeHtml } from '#lib/encoding/html.ts'
import type { Message } from '../message.ts'
import { highlightMatches } from '../search/highlight-matches.ts'
import type { Phrase } from '../search/phrases.ts'

export type MatchJson = { match_content: string; match_subject: string }

/** Returns the content and topic of a message as HTML. The search matches are highlighted. */
export function toMatchJson(message: Message, phrases: readonly Phrase[]): MatchJson {
  return {
    match_content: highlightMatches(message.renderedContent, phrases),
    match_subject: highlightMatches(escapeHtml(message.topic), phrases),
  }
}
