import { MIN_BEGINNING, type Phrase } from './phrases.ts'
import { type SearchToken, tokenizeHtml, tokenizeText } from './tokens.ts'

/**
 * A match of a phrase in the keys of a text. `at` is the index of its first key, and `length` the number of its keys.
 */
type Match = { phrase: Phrase; at: number; length: number }

/**
 * Returns a function that finds all matches of the phrases in the keys of a text, in the order of the text. Its time
 * depends on the length of the text and the number of matches, but not on the number of phrases.
 */
export function openMatcher(phrases: readonly Phrase[]): (keys: readonly string[]) => Match[] {
  const words = Map.groupBy(
    phrases.filter((phrase) => 'keys' in phrase),
    ({ keys }) => keys[0] ?? '',
  )
  const all = phrases.filter((phrase) => 'beginning' in phrase)
  const beginnings = Map.groupBy(all, ({ beginning }) => beginning)
  const inflections = Map.groupBy(
    all.flatMap((phrase) => phrase.inflected.map((key) => ({ key, phrase }))),
    ({ key }) => key,
  )
  const longest = Math.max(0, ...all.map(({ beginning }) => beginning.length))

  function beginningsOf(key: string): Phrase[] {
    const found = (inflections.get(key) ?? [])
      .filter(({ phrase }) => !key.startsWith(phrase.beginning))
      .map(({ phrase }) => phrase)
    for (let length = MIN_BEGINNING; length <= Math.min(key.length, longest); length++)
      found.push(...(beginnings.get(key.slice(0, length)) ?? []))
    return found
  }

  return (keys) => {
    const matches: Match[] = []
    for (const [at, key] of keys.entries()) {
      for (const phrase of beginningsOf(key)) matches.push({ phrase, at, length: 1 })
      for (const phrase of words.get(key) ?? [])
        if (phrase.keys.every((each, offset) => keys[at + offset] === each))
          matches.push({ phrase, at, length: phrase.keys.length })
    }
    return matches
  }
}

/** Highlights the search matches in HTML. Text inside tags stays unchanged. */
export function highlightMatches(html: string, phrases: readonly Phrase[]): string {
  const tokens = tokenizeHtml(html)
  let highlighted = ''
  let position = 0
  for (const { start, end } of matchingTokens(tokens, phrases)) {
    highlighted += `${html.slice(position, start)}<span class="highlight">${html.slice(start, end)}</span>`
    position = end
  }
  return highlighted + html.slice(position)
}

/** Returns the tokens that are part of a complete match of a phrase, in the order of the text. */
function matchingTokens(tokens: readonly SearchToken[], phrases: readonly Phrase[]): SearchToken[] {
  const found = new Set<number>()
  const keys = tokens.map(({ key }) => key)
  for (const { at, length } of openMatcher(phrases)(keys))
    for (let offset = 0; offset < length; offset++) found.add(at + offset)
  return tokens.filter((_, index) => found.has(index))
}

export type RankedText = { id: number; topic: string; renderedContent: string }

/** The number of matches in the content that count as much as one match in the topic. */
const TOPIC_WEIGHT = 3

/**
 * The parameters k1 and b of BM25. With a lower k1, repeated matches of a phrase count less. With a higher b, matches
 * in long messages count less.
 */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** The usual number of words in a message. It is fixed, so that a score does not depend on the other results. */
const USUAL_LENGTH = 25

/**
 * Sorts the messages by their relevance for a search, most relevant first. Of equally relevant messages, the newer one
 * comes first.
 */
export function byRelevance<Text extends RankedText>(texts: readonly Text[], phrases: readonly Phrase[]): Text[] {
  const findMatches = openMatcher(phrases)
  const scores = new Map(texts.map((text) => [text.id, relevanceOf(text, { phrases, findMatches })]))
  const scoreOf = ({ id }: Text) => scores.get(id) ?? 0
  return texts.toSorted((one, other) => scoreOf(other) - scoreOf(one) || other.id - one.id)
}

type Search = { phrases: readonly Phrase[]; findMatches: ReturnType<typeof openMatcher> }

/**
 * Returns the relevance of a message. It is higher if the message contains the phrases more often in fewer words, in
 * its topic, or close to each other.
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

/** Returns a number up to 1. It decreases with the distance between different phrases. */
function closenessOf(matches: readonly Match[]): number {
  let nearest = Number.POSITIVE_INFINITY
  for (const [index, { phrase, at }] of matches.entries()) {
    const before = matches[index - 1]
    if (before !== undefined && before.phrase !== phrase) nearest = Math.min(nearest, at - before.at)
  }
  return 1 / Math.max(1, nearest)
}
