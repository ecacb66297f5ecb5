import { type RawBuilder, sql } from 'kysely'
import type { Db, Dialect } from '#storage/storage.ts'
import { foldWord, keyOf, tokenizeText } from './tokens.ts'

/** A word or a quoted phrase: the keys of adjacent tokens. */
type Words = { readonly keys: readonly string[] }

/**
 * The beginning of a word, and the keys of English words whose inflections begin with it. Such a key may be shorter
 * than the beginning: "runni" is the beginning of "running", whose key is "run".
 */
type Beginning = { readonly beginning: string; readonly inflected: readonly string[] }

export type Phrase = Words | Beginning

/** The minimum length of the beginning of a word. Shorter beginnings would match a large part of all messages. */
export const MIN_BEGINNING = 2

const PIECE = /"([^"]*)"|[^\s"]+/g

/**
 * Parses a search into its words and quoted phrases. A message must contain all of them, in any order. A word with an
 * asterisk after it matches all words that begin with it.
 */
export function parsePhrases(search: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const [piece, quoted] of search.matchAll(PIECE)) {
    const keys = tokenizeText(quoted ?? piece).map(({ key }) => key)
    if (keys.length === 1 && quoted === undefined && piece.endsWith('*')) phrases.push(toBeginning(piece))
    else if (keys.length > 0) phrases.push({ keys })
  }
  return phrases
}

/** The endings that `keyOf` removes or replaces. */
const ENDINGS = ['ing', 'ed', 'es', 'ies', 'ied', 's']

/** Matches a doubled consonant at the end, as in "runn" from "running". */
const DOUBLED = /([^aeiou])\1$/

/** Returns the phrase for a word whose ending the user may not have typed completely. */
function toBeginning(piece: string): Phrase {
  const beginning = foldWord(piece)
  if (beginning.length < MIN_BEGINNING) return { keys: [keyOf(beginning)] }
  const completions = ENDINGS.flatMap((ending) => completeWith(ending, beginning))
  return { beginning, inflected: [...new Set([beginning, ...completions].map(keyOf))] }
}

function completeWith(ending: string, beginning: string): string[] {
  const lengths = Array.from(ending, (_, at) => at + 1).filter((length) => beginning.endsWith(ending.slice(0, length)))
  const completed = lengths.map((length) => beginning + ending.slice(length))
  return DOUBLED.test(beginning) ? [...completed, beginning + ending] : completed
}

/** Returns the phrases without duplicates. */
export const withoutDuplicates = (phrases: readonly Phrase[]): Phrase[] => [
  ...new Map(phrases.map((phrase) => [JSON.stringify(phrase), phrase])).values(),
]

/**
 * The number of keys that the beginning of a word counts as. It is more than one, because the index has to look up all
 * words that begin with it.
 */
const KEYS_OF_BEGINNING = 10

/** Returns an estimate of the number of keys that must be looked up to find the phrases. */
export const countKeys = (phrases: readonly Phrase[]): number =>
  phrases.reduce((count, phrase) => count + ('keys' in phrase ? phrase.keys.length : KEYS_OF_BEGINNING), 0)

/** Matches rows of "messageWords" that contain all phrases. There must be at least one phrase. */
export function matchesPhrases(db: Db, phrases: readonly Phrase[]): RawBuilder<boolean> {
  const match = toMatchQuery(db.dialect, phrases)
  return db.dialect === 'sqlite'
    ? sql<boolean>`"messageWords" match ${match}`
    : sql<boolean>`"messageWords"."words" @@ cast(${match} as tsquery)`
}

/** Returns an FTS5 query or a tsquery. Keys need no escaping, because they contain only letters and digits. */
function toMatchQuery(dialect: Dialect, phrases: readonly Phrase[]): string {
  if (dialect === 'sqlite') {
    const toTerm = (phrase: Phrase) =>
      'keys' in phrase
        ? `"${phrase.keys.join(' ')}"`
        : `(${[...phrase.inflected.map((key) => `"${key}"`), `"${phrase.beginning}" *`].join(' OR ')})`
    return phrases.map(toTerm).join(' AND ')
  }
  const toTerm = (phrase: Phrase) =>
    'keys' in phrase
      ? phrase.keys.map((key) => `'${key}'`).join(' <-> ')
      : [...phrase.inflected.map((key) => `'${key}'`), `'${phrase.beginning}':*`].join(' | ')
  return phrases.map((phrase) => `(${toTerm(phrase)})`).join(' & ')
}
