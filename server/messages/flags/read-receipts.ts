import { sql } from 'kysely'
import { findVisibleUserIds } from '../../groups/visible-users.ts'
import { findUsersById } from '../../people/users/queries.ts'
import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { requireMessage } from '../access.ts'
import { Flag } from './flag.ts'

export const readReceiptsDisabled = refusal('BAD_REQUEST', 400, 'Read receipts are disabled in this organization.')

/**
 * Returns the ids of the users who have read the message and send read receipts, in ascending order. The sender, users
 * whom the actor mutes and users who mute the actor are left out.
 */
export async function requireReadReceipts(db: Db, actor: Actor, messageId: number, now: number): Promise<number[]> {
  const { message } = await requireMessage(db, actor, messageId, now)
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
  const visibleIds = await findVisibleUserIds(db, actor, now)
  const users = await findUsersById(
    db,
    rows.map((row) => row.userId).filter((id) => visibleIds?.has(id) !== false),
  )
  const readers = users.filter((user) => user.deactivatedAt === null && user.settings.send_read_receipts)
  return readers.map((user) => user.id).sort((a, b) => a - b)
}
