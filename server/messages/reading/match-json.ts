import { escapeHtml } from '../../platform/encoding/html.ts'
import type { Message } from '../message.ts'
import { highlightMatches } from '../search/highlight-matches.ts'
import type { Phrase } from '../search/phrases.ts'
import { displayTopic } from '../topic.ts'

export type MatchJson = { match_content: string; match_subject: string }

/** Returns the content and topic of a message as HTML. The search matches are highlighted. */
export function toMatchJson(message: Message, phrases: readonly Phrase[], allowsEmptyTopic: boolean): MatchJson {
  const topic = message.channelId === null ? '' : displayTopic(message.topic, allowsEmptyTopic)
  return {
    match_content: highlightMatches(message.renderedContent, phrases),
    match_subject: highlightMatches(escapeHtml(topic), phrases),
  }
}
