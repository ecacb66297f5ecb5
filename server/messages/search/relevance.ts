import { type Match, openMatcher } from './find-matches.ts'
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

/**
 * Returns the messages in the order of their relevance for a search. The newer one of equally relevant messages comes
 * first.
 */
export function byRelevance<Text extends RankedText>(texts: readonly Text[], phrases: readonly Phrase[]): Text[] {
  const findMatches = openMatcher(phrases)
  const scores = new Map(texts.map((text) => [text.id, relevanceOf(text, { phrases, findMatches })]))
  const scoreOf = ({ id }: Text) => scores.get(id) ?? 0
  return texts.toSorted((one, other) => scoreOf(other) - scoreOf(one) || other.id - one.id)
}

type Search = { phrases: readonly Phrase[]; findMatches: ReturnType<typeof openMatcher> }

/**
 * Returns a greater number for a message that contains the phrases more often in fewer words, in its topic, or close to each
 * other.
 */
function relevanceOf({ topic, renderedContent }: RankedText, { phrases, findMatches }: Search): number {
  const content = tokenizeHtml(renderedContent).map(({ key }) => key)
  const inTopic = findMatches(tokenizeText(topic).map(({ key }) => key))
  const inContent = findMatches(content)
  const discount = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * content.length) / USUAL_LENGTH)
  const counts = new Map<Phrase, number>()
  for (const { phrase } of inContent) counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
  for (const { phrase } of inTopic) counts.set(phrase, (counts.get(phrase) ?? 0) + TOPIC_WEIGHT)
  const scores = phrases.map((phrase) => {
    const count = counts.get(phrase) ?? 0
    return count / (count + discount)
  })
  return scores.reduce((sum, score) => sum + score, 0) + closenessOf(inContent)
}

/** Returns 1 at most. The result decreases with the distance between different phrases. */
function closenessOf(matches: readonly Match[]): number {
  let nearest = Number.POSITIVE_INFINITY
  for (const [index, { phrase, at }] of matches.entries()) {
    const before = matches[index - 1]
    if (before !== undefined && before.phrase !== phrase) nearest = Math.min(nearest, at - before.at)
  }
  return 1 / Math.max(1, nearest)
}
