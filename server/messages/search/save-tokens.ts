import { sql } from 'kysely'
import { batches, defineWrite, integerAt, rowsIn, toStorableText } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { tokenizeHtml, tokenizeText } from './tokens.ts'

/**
 * A character that no token contains. It keeps phrases from matching across the end of the topic and the start of the
 * content.
 */
const GAP = '\ue000'

/** The limits of PostgreSQL: the number of positions per word, and the greatest position. */
const MAX_POSITIONS = 255
const MAX_POSITION = 16_383

type IndexableMessage = { id: number; topic: string; renderedContent: string }

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

/** Replaces the indexed tokens of each message with the tokens of its topic and content. */
export async function saveTokens(tx: Transaction, messages: readonly IndexableMessage[]): Promise<void> {
  if (tx.db.dialect === 'sqlite') {
    for (const message of messages) await saveText(tx, message.id, keysOfMessage(message).join(' '))
    return
  }
  const vectors = messages.map((message) => [message.id, toStorableText(toVector(keysOfMessage(message)))])
  await saveVectors(tx, JSON.stringify(vectors))
}

/** Updates the indexed tokens of messages that moved to another topic. */
export async function saveTopicTokens(
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
    await saveTokens(tx, rows)
  }
}

const keysOf = (text: string) => tokenizeText(text).map((token) => token.key)

const keysOfMessage = ({ topic, renderedContent }: IndexableMessage) => [
  ...keysOf(topic),
  GAP,
  ...tokenizeHtml(renderedContent).map((token) => token.key),
]

/** Returns the tokens with their positions as the text of a PostgreSQL tsvector. */
function toVector(keys: readonly string[]): string {
  const positions = new Map<string, number[]>()
  for (const [index, key] of keys.entries()) {
    const known = positions.get(key)
    if (known === undefined) positions.set(key, [Math.min(index + 1, MAX_POSITION)])
    else if (known.length < MAX_POSITIONS) known.push(Math.min(index + 1, MAX_POSITION))
  }
  return Array.from(positions, ([key, list]) => `'${key}':${list.join(',')}`).join(' ')
}
