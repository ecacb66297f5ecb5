import { refusal } from '#lib/errors/refusal.ts'
import type { Transaction } from '#storage/storage.ts'
import type { Actor, User } from '../users/user.ts'
import { deleteMutedUser, findMutedUsers, type MutedUser, saveMutedUser } from './queries.ts'

export const cannotMuteSelf = refusal('BAD_REQUEST', 400, 'Cannot mute self')
export const alreadyMuted = refusal('BAD_REQUEST', 400, 'User already muted')
export const notMuted = refusal('BAD_REQUEST', 400, 'User is not muted')

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

export function toMutedUserJson({ mutedUserId, mutedAt }: MutedUser): { id: number; timestamp: number } {
  return { id: mutedUserId, timestamp: Math.floor(mutedAt) }
}
