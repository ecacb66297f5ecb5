import { defineCache } from '../../platform/storage/cache.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { type AlertWordIndex, indexAlertWords } from './alert-word-index.ts'

const alertWordIndex = defineCache<number, AlertWordIndex>({
  // Of the accounts it reads but their organizations, which stay what they are.
  dependsOn: ['alertWords'],
  limit: 100,
  async load(db, realmId) {
    const words = await db
      .selectFrom('alertWords')
      .innerJoin('users', 'users.id', 'alertWords.userId')
      .select(['userId', 'wordKey'])
      .where('users.realmId', '=', realmId)
      .execute()
    return indexAlertWords(words)
  },
})

/** The ids of those in the organization of whose alert words the text holds one. */
export async function findAlertedUserIds(db: Db, realmId: number, text: string): Promise<Set<number>> {
  return (await alertWordIndex.get(db, realmId)).userIdsIn(text)
}

/** The user's alert words, in the order in which they were added. */
export async function findAlertWords(db: Db, userId: number): Promise<string[]> {
  const rows = await db.selectFrom('alertWords').select('word').where('userId', '=', userId).orderBy('id').execute()
  return rows.map((row) => row.word)
}

/** Words that are there already, in whatever case, are left as they are. */
export async function saveAlertWords(tx: Transaction, userId: number, words: readonly string[]): Promise<void> {
  for (const word of words) {
    await tx
      .insertInto('alertWords')
      .values({ userId, word, wordKey: word.toLowerCase() })
      .onConflict((on) => on.doNothing())
      .execute()
  }
}

/** Takes away the words in whatever case. */
export async function deleteAlertWords(tx: Transaction, userId: number, words: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('alertWords')
    .where('userId', '=', userId)
    .where(
      'wordKey',
      'in',
      words.map((word) => word.toLowerCase()),
    )
    .execute()
}
