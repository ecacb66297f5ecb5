import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type AlertWordIndex, indexAlertWords } from './alert-word-index.ts'

const alertWordIndex = defineCache<number, AlertWordIndex>({
  // The query also reads the organizations of accounts, which never change.
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

/** Returns the ids of the users in the organization whose alert words occur in the text. */
export async function findAlertedUserIds(db: Db, realmId: number, text: string): Promise<Set<number>> {
  return (await alertWordIndex.get(db, realmId)).userIdsIn(text)
}

/** Returns the user's alert words in the order in which they were added. */
export async function findAlertWords(db: Db, userId: number): Promise<string[]> {
  const rows = await db.selectFrom('alertWords').select('word').where('userId', '=', userId).orderBy('id').execute()
  return rows.map((row) => row.word)
}

/** Saves alert words, except those that the user already has. Case is ignored. */
export async function saveAlertWords(tx: Transaction, userId: number, words: readonly string[]): Promise<void> {
  for (const word of words) {
    await tx
      .insertInto('alertWords')
      .values({ userId, word, wordKey: word.toLowerCase() })
      .onConflict((on) => on.doNothing())
      .execute()
  }
}

/** Deletes the user's alert words that match these words. Case is ignored. */
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
