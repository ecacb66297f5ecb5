import type { Selectable } from 'kysely'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'

/** A custom emoji of an organization. Deactivated emoji are kept, because reactions still show them. */
export type RealmEmoji = Selectable<Tables['realmEmoji']>

const emojiOfRealm = defineCache<number, readonly RealmEmoji[]>({
  dependsOn: ['realmEmoji'],
  limit: 1000,
  load: (db, realmId) => db.selectFrom('realmEmoji').selectAll().where('realmId', '=', realmId).orderBy('id').execute(),
})

/** Returns all custom emoji of the organization, including deactivated ones, ordered by id. */
export function findRealmEmoji(db: Db, realmId: number): readonly RealmEmoji[] | Promise<readonly RealmEmoji[]> {
  return emojiOfRealm.get(db, realmId)
}

/** Returns the path of the picture, relative to the organization's URL. */
export function emojiUrl({ realmId, fileName }: Pick<RealmEmoji, 'realmId' | 'fileName'>): string {
  return `/user_avatars/${realmId}/emoji/images/${fileName}`
}

export async function saveRealmEmoji(
  tx: Transaction,
  emoji: Pick<RealmEmoji, 'realmId' | 'name' | 'authorId' | 'fileName'> & Partial<Pick<RealmEmoji, 'stillFileName'>>,
): Promise<void> {
  await tx
    .insertInto('realmEmoji')
    .values({ ...emoji, createdAt: tx.now, deactivatedAt: null })
    .execute()
}

/** Deactivates the emoji. Messages and reactions that use it still show it. */
export async function deactivateRealmEmoji(tx: Transaction, id: number): Promise<void> {
  await tx.updateTable('realmEmoji').set({ deactivatedAt: tx.now }).where('id', '=', id).execute()
}
