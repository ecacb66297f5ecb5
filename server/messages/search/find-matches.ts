import type { Phrase } from './phrases.ts'

/** A place where a phrase matches: the index of its first key, and the number of keys. */
export type Match = { phrase: Phrase; at: number; length: number }

/** Returns all matches of the phrases in the keys of a text, in text order. */
export function findMatches(keys: readonly string[], phrases: readonly Phrase[]): Match[] {
  const words = Map.groupBy(
    phrases.filter((phrase) => 'keys' in phrase),
    (phrase) => phrase.keys[0],
  )
  const beginnings = phrases.filter((phrase) => 'beginning' in phrase)
  const matches: Match[] = []
  for (const [at, key] of keys.entries()) {
    for (const phrase of beginnings)
      if (key.startsWith(phrase.beginning) || phrase.inflected.includes(key)) matches.push({ phrase, at, length: 1 })
    for (const phrase of words.get(key) ?? [])
      if (phrase.keys.every((each, offset) => keys[at + offset] === each))
        matches.push({ phrase, at, length: phrase.keys.length })
  }
  return matches
}
