import { type RawBuilder, sql } from 'kysely'
import type { Db, Dialect } from '../../platform/storage/storage.ts'
import { tokenizeText } from './tokens.ts'

/** The keys of adjacent tokens. Most phrases are a single word. */
export type Phrase = readonly string[]

const PIECE = /"([^"]*)"|[^\s"]+/g

/** Parses a search into its words and quoted phrases. A message must contain all of them, in any order. */
export function parsePhrases(search: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const [piece, quoted] of search.matchAll(PIECE)) {
    const keys = tokenizeText(quoted ?? piece).map((token) => token.key)
    if (keys.length > 0) phrases.push(keys)
  }
  return phrases
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
  if (dialect === 'sqlite') return phrases.map((phrase) => `"${phrase.join(' ')}"`).join(' ')
  return phrases.map((phrase) => `(${phrase.map((key) => `'${key}'`).join(' <-> ')})`).join(' & ')
}
