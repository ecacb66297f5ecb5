import { sql } from 'kysely'
import { z } from 'zod'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { findUsersById } from '#people/user-queries.ts'
import { invalidMessage, requireMessage } from './access.ts'
import { Flag } from './flags.ts'

// Read receipts name the users who have read a message to everyone who can read it. Hidden users, muted users and users
// who have turned them off are left out.

const readReceiptsDisabled = refusal('BAD_REQUEST', 400, 'Read receipts are disabled in this organization.')

/**
 * Returns the ids of the users who have read the message and send read receipts, in ascending order. Leaves out the
 * sender, users whom the actor mutes, and users who mute the actor.
 */
async function requireReadReceipts(viewer: Viewer, messageId: number): Promise<number[]> {
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

export const getReadReceipts = endpoint({
  route: 'GET /messages/{message_id}/read_receipts',
  summary: 'List the users who have read a message',
  description: 'Does not include the sender or users who have turned off read receipts.',
  who: 'user',
  returns: { user_ids: z.array(z.int()) },
  refuses: [invalidMessage, readReceiptsDisabled],
  async handle({ db, actor, clock }, { message_id: messageId }) {
    return { user_ids: await requireReadReceipts(viewerOf(db, actor, clock.now()), messageId) }
  },
})
