import { sql } from 'kysely'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findUsersById } from '#people/users/queries.ts'
import { requireMessage } from '../access.ts'
import { Flag } from './flag.ts'

export const readReceiptsDisabled = refusal('BAD_REQUEST', 400, 'Read receipts are disabled in this organization.')

/**
 * Returns the ids of the users who have read the message and send read receipts, in ascending order. Leaves out the
 * sender, users whom the actor mutes, and users who mute the actor.
 */
export async function requireReadReceipts(viewer: Viewer, messageId: number): Promise<number[]> {
  const { db, actor } = viewer
  const { message } = await requireMessage(viewer, messageId)
  if (!actor.realm.settings.enable_read_receipts) throw readReceiptsDisabled()
  const rows = await db
    .selectFrom('userMessages')
    .select('userId')
    .where('messageId', '=', messageId)
    .where('userId', '<>', message.senderId)
    .where(sql<boolean>`("flags" & ${Flag.read}) <> 0`)
    .where('userId', 'not in', (others) =>
      others
        .selectFrom('mutedUsers')
        .select('mutedUserId as id')
        .where('userId', '=', actor.id)
        .union(others.selectFrom('mutedUsers').select('userId as id').where('mutedUserId', '=', actor.id)),
    )
    .execute()
  const visibleIds = await viewer.visibleIds()
  const users = await findUsersById(
    db,
    rows.map((row) => row.userId).filter((id) => visibleIds?.has(id) !== false),
  )
  const readers = users.filter((user) => user.deactivatedAt === null && user.settings.send_read_receipts)
  return readers.map((user) => user.id).sort((a, b) => a - b)
}
