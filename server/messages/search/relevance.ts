import { findMatches, type Match } from './find-matches.ts'
import type { Phrase } from './phrases.ts'
import { tokenizeHtml, tokenizeText } from './tokens.ts'

export type RankedText = { id: number; topic: string; renderedContent: string }

/** A match in the topic counts as much as this many in the content. */
const TOPIC_WEIGHT = 3

/** From BM25: how soon further matches of a phrase count less, and how much long messages are discounted. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** The usual number of words of a message. A fixed number, so that a score does not depend on the other results. */
const USUAL_LENGTH = 25

/** Returns the messages in the order of their relevance for a search. The newer one of equally relevant messages comes first. */
export function byRelevance<Text extends RankedText>(texts: readonly Text[], phrases: readonly Phrase[]): Text[] {
  const scores = new Map(texts.map((text) => [text.id, relevanceOf(text, phrases)]))
  const scoreOf = ({ id }: Text) => scores.get(id) ?? 0
  return texts.toSorted((one, other) => scoreOf(other) - scoreOf(one) || other.id - one.id)
}

/**
 * Returns a greater number for a message that contains the phrases more often in fewer words, in its topic, or close to each
 * other.
 */
function relevanceOf({ topic, renderedContent }: RankedText, phrases: readonly Phrase[]): number {
  const content = tokenizeHtml(renderedContent).map(({ key }) => key)
  const inTopic = findMatches(
    tokenizeText(topic).map(({ key }) => key),
    phrases,
  )
  const inContent = findMatches(content, phrases)
  const discount = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * content.length) / USUAL_LENGTH)
  const countOf = (matches: readonly Match[], phrase: Phrase) =>
    matches.filter((match) => match.phrase === phrase).length
  const scores = phrases.map((phrase) => {
    const count = countOf(inContent, phrase) + TOPIC_WEIGHT * countOf(inTopic, phrase)
    return count / (count + discount)
  })
  return scores.reduce((sum, score) => sum + score, 0) + closenessOf(inContent)
}

/** Returns up to 1, the less the further apart different phrases are. */
function closenessOf(matches: readonly Match[]): number {
  const distances = matches.slice(1).flatMap((match, at) => {
    const before = matches[at]
    return before === undefined || before.phrase === match.phrase ? [] : [match.at - before.at]
  })
  return distances.length === 0 ? 0 : 1 / Math.max(1, Math.min(...distances))
}
