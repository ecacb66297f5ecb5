import { MIN_BEGINNING, type Phrase } from './phrases.ts'

/**
 * A match of a phrase in the keys of a text. `at` is the index of its first key, and `length` the number of its keys.
 */
export type Match = { phrase: Phrase; at: number; length: number }

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
