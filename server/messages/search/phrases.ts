import { type RawBuilder, sql } from 'kysely'
import type { Db, Dialect } from '../../platform/storage/storage.ts'
import { foldWord, keyOf, tokenizeText } from './tokens.ts'

/**
 * The keys of adjacent tokens; most phrases are a single word. With a `beginning`, it is one word, and all keys match that
 * start with it, too.
 */
export type Phrase = { readonly keys: readonly string[]; readonly beginning?: string }

/** The minimum length of the beginning of a word. Shorter ones would match a large part of all messages. */
const MIN_BEGINNING = 2

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

/** Returns the phrase for a word of which the user may not have typed the ending. */
function toBeginning(piece: string): Phrase {
  const beginning = foldWord(piece)
  const isParticiple = /(?:[^aeiou]in?|([^aeiou])\1)$/.test(beginning)
  const completed = isParticiple ? beginning.replace(/(?:in?)?$/, 'ing') : beginning
  const keys = [keyOf(completed)]
  return beginning.length < MIN_BEGINNING ? { keys } : { keys, beginning }
}

/** Matches rows of "messageWords" that contain all phrases. It needs at least one phrase. */
export function matchesPhrases(db: Db, phrases: readonly Phrase[]): RawBuilder<boolean> {
  const match = toMatchQuery(db.dialect, phrases)
  return db.dialect === 'sqlite'
    ? sql<boolean>`"messageWords" match ${match}`
    : sql<boolean>`"messageWords"."words" @@ cast(${match} as tsquery)`
}

/** Returns an FTS5 query or a tsquery. Keys need no escaping, as they contain only letters and digits. */
function toMatchQuery(dialect: Dialect, phrases: readonly Phrase[]): string {
  if (dialect === 'sqlite') {
    const toTerm = ({ keys, beginning }: Phrase) =>
      beginning === undefined ? `"${keys.join(' ')}"` : `("${keys}" OR "${beginning}" *)`
    return phrases.map(toTerm).join(' AND ')
  }
  const toTerm = ({ keys, beginning }: Phrase) =>
    beginning === undefined ? keys.map((key) => `'${key}'`).join(' <-> ') : `'${keys}' | '${beginning}':*`
  return phrases.map((phrase) => `(${toTerm(phrase)})`).join(' & ')
}
