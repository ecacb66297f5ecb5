import { sql } from 'kysely'
import { batches } from '../../platform/storage/batches.ts'
import { toStorableText } from '../../platform/storage/bind.ts'
import { integerAt, rowsIn } from '../../platform/storage/json-list.ts'
import { defineWrite } from '../../platform/storage/prepared-query.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { wordsOf, wordsOfHtml } from './words.ts'

/** A character that is in no word: no phrase reaches from the topic into the content. */
const GAP = '\ue000'

/** PostgreSQL keeps no more of the places of a word, and none that are further on. */
const MAX_PLACES = 255
const LAST_PLACE = 16_383

export type Searchable = { id: number; topic: string; renderedContent: string }

const saveText = defineWrite('messageWords', (tx, rowid: number, words: string) =>
  tx.insertInto('messageWords').orReplace().values({ rowid, words }),
)

const saveVectors = defineWrite('messageWords', (tx, vectors: string) =>
  tx
    .insertInto('messageWords')
    .columns(['rowid', 'words'])
    .expression(
      rowsIn(tx.db, vectors).select([
        integerAt(0).as('rowid'),
        sql<string>`cast(list.value ->> 1 as tsvector)`.as('words'),
      ]),
    )
    .onConflict((on) => on.column('rowid').doUpdateSet((row) => ({ words: row.ref('excluded.words') }))),
)

/** Lets each message be found by the words of its topic and its content, and by no others. */
export async function saveWords(tx: Transaction, messages: readonly Searchable[]): Promise<void> {
  if (tx.db.dialect === 'sqlite') {
    for (const message of messages) await saveText(tx, message.id, keysOfMessage(message).join(' '))
    return
  }
  const vectors = messages.map((message) => [message.id, toStorableText(toVector(keysOfMessage(message)))])
  await saveVectors(tx, JSON.stringify(vectors))
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
    await saveWords(tx, rows)
  }
}

const keysOf = (text: string) => wordsOf(text).map((word) => word.key)

const keysOfMessage = ({ topic, renderedContent }: Searchable) => [
  ...keysOf(topic),
  GAP,
  ...wordsOfHtml(renderedContent).map((word) => word.key),
]

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
