import { sql } from 'kysely'
import { batches } from '../../storage/batches.ts'
import { defineWrite } from '../../storage/prepared-query.ts'
import type { Transaction } from '../../storage/storage.ts'
import { wordsOf, wordsOfHtml } from './words.ts'

/** A character that is in no word: no phrase reaches from the topic into the content. */
const GAP = '\ue000'

/** PostgreSQL keeps no more of the places of a word, and none that are further on. */
const MAX_PLACES = 255
const LAST_PLACE = 16_383

type Searchable = { id: number; topic: string; renderedContent: string }

const saveText = defineWrite('messageWords', (tx, rowid: number, words: string) =>
  tx.insertInto('messageWords').orReplace().values({ rowid, words }),
)

const saveVector = defineWrite('messageWords', (tx, rowid: number, vector: string) => {
  const words = sql<string>`cast(${vector} as tsvector)`
  return tx
    .insertInto('messageWords')
    .values({ rowid, words })
    .onConflict((on) => on.column('rowid').doUpdateSet({ words }))
})

/** Lets the message be found by the words of its topic and its content, and by no others. */
export async function saveWords(tx: Transaction, { id, topic, renderedContent }: Searchable): Promise<void> {
  const keys = [...keysOf(topic), GAP, ...wordsOfHtml(renderedContent).map((word) => word.key)]
  if (tx.db.dialect === 'sqlite') await saveText(tx, id, keys.join(' '))
  else await saveVector(tx, id, toVector(keys))
}

/** Lets messages that were moved from one topic to another be found by the words of the new one. */
export async function saveTopicWords(
  tx: Transaction,
  messageIds: readonly number[],
  topics: { from: string; to: string },
): Promise<void> {
  if (keysOf(topics.from).join(' ') === keysOf(topics.to).join(' ')) return
  for (const batch of batches(messageIds, 500)) {
    const rows = await tx.db
      .selectFrom('messages')
      .select(['id', 'topic', 'renderedContent'])
      .where('id', 'in', batch)
      .execute()
    for (const row of rows) await saveWords(tx, row)
  }
}

const keysOf = (text: string) => wordsOf(text).map((word) => word.key)

/** The words with their places, as PostgreSQL writes a tsvector. */
function toVector(keys: readonly string[]): string {
  const places = new Map<string, number[]>()
  for (const [index, key] of keys.entries()) {
    const known = places.get(key)
    if (known === undefined) places.set(key, [Math.min(index + 1, LAST_PLACE)])
    else if (known.length < MAX_PLACES) known.push(Math.min(index + 1, LAST_PLACE))
  }
  return Array.from(places, ([key, at]) => `'${key}':${at.join(',')}`).join(' ')
}
