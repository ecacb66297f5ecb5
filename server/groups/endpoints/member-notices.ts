import { silentGroupMention } from '../../messages/sending/names.ts'
import { prepareNotices, silentMention } from '../../messages/sending/notices.ts'
import { saveMessages } from '../../messages/sending/send-message.ts'
import type { Transaction } from '../../storage/storage.ts'
import { findUsersById } from '../../users/queries.ts'
import { type Actor, isBot } from '../../users/user.ts'
import type { MemberChanges } from '../change-members.ts'
import type { Group } from '../group.ts'

/** A direct message for each person with an account, but the actor, who came into the group or left it; bots get none. */
export async function tellMembers(
  tx: Transaction,
  actor: Actor,
  group: Group,
  { add, remove }: Pick<MemberChanges, 'add' | 'remove'>,
): Promise<void> {
  const [who, what] = [silentMention(actor), silentGroupMention(group.name)]
  await tellOthers(tx, actor, add, `${who} added you to the group ${what}.`)
  await tellOthers(tx, actor, remove, `${who} removed you from the group ${what}.`)
}

async function tellOthers(tx: Transaction, actor: Actor, userIds: readonly number[], content: string): Promise<void> {
  const users = await findUsersById(tx.db, userIds)
  const readers = users.filter((user) => user.id !== actor.id && !isBot(user) && user.deactivatedAt === null)
  if (readers.length === 0) return
  const recipientIds = readers.map((user) => user.id)
  await saveMessages(tx, await prepareNotices(tx.db, { recipientIds, content }))
}
