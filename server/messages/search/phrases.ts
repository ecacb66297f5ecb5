import { type RawBuilder, sql } from 'kysely'
import type { Db, Dialect } from '../../platform/storage/storage.ts'
import { tokenizeText } from './tokens.ts'

/** Words, by key, that stand side by side; most phrases are one word. */
export type Phrase = readonly string[]

const PIECE = /"([^"]*)"|[^\s"]+/g

/** What a search asks for: each word and each quoted phrase, in any order and anywhere. Empty when it names no word. */
export function parsePhrases(search: string): Phrase[] {
  const phrases: Phrase[] = []
  for (const [piece, quoted] of search.matchAll(PIECE)) {
    const keys = tokenizeText(quoted ?? piece).map((word) => word.key)
    if (keys.length > 0) phrases.push(keys)
  }
  return phrases
}

/** Whether a row of "messageWords" has all the phrases, of which there is one at least. */
export function matchesPhrases(db: Db, phrases: readonly Phrase[]): RawBuilder<boolean> {
  const match = toMatchQuery(db.dialect, phrases)
  return db.dialect === 'sqlite'
    ? sql<boolean>`"messageWords" match ${match}`
    : sql<boolean>`"messageWords"."words" @@ cast(${match} as tsquery)`
}

/** The question in the language of FTS5, or as a tsquery. Keys are letters and digits alone. */
function toMatchQuery(dialect: Dialect, phrases: readonly Phrase[]): string {
  if (dialect === 'sqlite') return phrases.map((phrase) => `"${phrase.join(' ')}"`).join(' ')
  return phrases.map((phrase) => `(${phrase.map((key) => `'${key}'`).join(' <-> ')})`).join(' & ')
}
