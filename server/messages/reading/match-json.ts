import { escapeHtml } from '../../platform/encoding/html.ts'
import type { Message } from '../message.ts'
import { highlightMatches } from '../search/highlight-matches.ts'
import type { Phrase } from '../search/phrases.ts'
import { shownTopic } from '../topic.ts'

export type MatchJson = { match_content: string; match_subject: string }

/** The content and the topic of a message as HTML, with what was searched for marked. */
export function toMatchJson(message: Message, phrases: readonly Phrase[], allowsEmptyTopic: boolean): MatchJson {
  const topic = message.channelId === null ? '' : shownTopic(message.topic, allowsEmptyTopic)
  return {
    match_content: highlightMatches(message.renderedContent, phrases),
    match_subject: highlightMatches(escapeHtml(topic), phrases),
  }
}
