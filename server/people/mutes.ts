import { refusal } from '#lib/errors.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Actor, User } from './users.ts'

// Muted users. A mute is private: only the user who muted receives an event. New messages of a muted user are marked
// as read.

type MutedUser = { mutedUserId: number; mutedAt: number }

export const cannotMuteSelf = refusal('BAD_REQUEST', 400, 'Cannot mute self')
export const alreadyMuted = refusal('BAD_REQUEST', 400, 'User already muted')
export const notMuted = refusal('BAD_REQUEST', 400, 'User is not muted')

export function toMutedUserJson({ mutedUserId, mutedAt }: MutedUser): { id: number; timestamp: number } {
  return { id: mutedUserId, timestamp: Math.floor(mutedAt) }
}

/** Returns the users whom this user has muted, in the order in which they were muted. */
export function findMutedUsers(db: Db, userId: number): Promise<MutedUser[]> {
  return db
    .selectFrom('mutedUsers')
    .select(['mutedUserId', 'mutedAt'])
    .where('userId', '=', userId)
    .orderBy('mutedAt')
    .orderBy('mutedUserId')
    .execute()
}

const muterIds = defineCache<number, ReadonlySet<number>>({
  dependsOn: ['mutedUsers'],
  limit: 20_000,
  async load(db, mutedUserId) {
    const rows = await db.selectFrom('mutedUsers').select('userId').where('mutedUserId', '=', mutedUserId).execute()
    return new Set(rows.map((row) => row.userId))
  },
})

/** Returns the ids of the users who have muted this user. */
export function findMuterIds(db: Db, mutedUserId: number): ReadonlySet<number> | Promise<ReadonlySet<number>> {
  return muterIds.get(db, mutedUserId)
}

/** Saves a mute. Returns false if the user was already muted. */
export async function saveMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .insertInto('mutedUsers')
    .values({ userId, mutedUserId, mutedAt: tx.now })
    .onConflict((on) => on.doNothing())
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a mute. Returns false if the user was not muted. */
async function deleteMutedUser(tx: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('mutedUsers')
    .where('userId', '=', userId)
    .where('mutedUserId', '=', mutedUserId)
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}

/** Mutes the user. New messages from the user are marked as read for the actor. */
export async function muteUser(tx: Transaction, actor: Actor, user: User): Promise<void> {
  if (user.id === actor.id) throw cannotMuteSelf()
  if (!(await saveMutedUser(tx, actor.id, user.id))) throw alreadyMuted()
  await emitMutedUsers(tx, actor)
}

export async function unmuteUser(tx: Transaction, actor: Actor, user: User): Promise<void> {
  if (!(await deleteMutedUser(tx, actor.id, user.id))) throw notMuted()
  await emitMutedUsers(tx, actor)
}

async function emitMutedUsers(tx: Transaction, actor: Actor): Promise<void> {
  const muted = (await findMutedUsers(tx.db, actor.id)).map(toMutedUserJson)
  tx.emit(actor.realmId, { type: 'muted_users', muted_users: muted }, [actor.id])
}
