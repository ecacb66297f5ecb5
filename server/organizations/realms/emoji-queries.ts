import type { Selectable } from 'kysely'
import { defineCache } from '../../platform/storage/cache.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { Tables } from '../../platform/storage/tables.ts'

/** An emoji of an organization's own; deactivated ones are kept, since reactions show them. */
export type RealmEmoji = Selectable<Tables['realmEmoji']>

const emojiOfRealm = defineCache<number, readonly RealmEmoji[]>({
  dependsOn: ['realmEmoji'],
  limit: 1000,
  load: (db, realmId) => db.selectFrom('realmEmoji').selectAll().where('realmId', '=', realmId).orderBy('id').execute(),
})

/** In the order of their ids, deactivated ones included. */
export function findRealmEmoji(db: Db, realmId: number): readonly RealmEmoji[] | Promise<readonly RealmEmoji[]> {
  return emojiOfRealm.get(db, realmId)
}

/** Where the picture is found, below the organization's address. */
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

/** Ends its use; where it was used already it is still shown. */
export async function deactivateRealmEmoji(tx: Transaction, id: number): Promise<void> {
  await tx.updateTable('realmEmoji').set({ deactivatedAt: tx.now }).where('id', '=', id).execute()
}
