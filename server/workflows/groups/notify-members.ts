import type { MemberChanges } from '#groups/change-members.ts'
import type { Group } from '#groups/group.ts'
import { findNonViewerIds } from '#groups/visible-users.ts'
import { silentGroupMention } from '#messages/sending/notice-markdown.ts'
import { prepareNotices, silentMention } from '#messages/sending/prepare-notices.ts'
import { saveMessages } from '#messages/sending/send-message.ts'
import { findUsersById } from '#people/users/queries.ts'
import { type Actor, isBot, UNKNOWN_USER_NAME } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'

/**
 * Sends a direct message to each active user whom the actor added or removed. The actor and bots get no message. The
 * message does not name the actor to users who may not see the actor.
 */
export async function notifyMembers(
  tx: Transaction,
  actor: Actor,
  group: Group,
  { add, remove }: Pick<MemberChanges, 'add' | 'remove'>,
): Promise<void> {
  const what = silentGroupMention(group.name)
  await notifyUsers(tx, actor, add, `added you to the group ${what}.`)
  await notifyUsers(tx, actor, remove, `removed you from the group ${what}.`)
}

async function notifyUsers(tx: Transaction, actor: Actor, userIds: readonly number[], done: string): Promise<void> {
  const users = await findUsersById(tx.db, userIds)
  const readers = users.filter((user) => user.id !== actor.id && !isBot(user) && user.deactivatedAt === null)
  const nonViewers = await findNonViewerIds(tx.db, actor.realm, actor, readers, tx.now)
  for (const [isNonViewer, readerGroup] of Map.groupBy(readers, ({ id }) => nonViewers.has(id))) {
    const content = `${isNonViewer ? UNKNOWN_USER_NAME : silentMention(actor)} ${done}`
    const recipientIds = readerGroup.map((user) => user.id)
    await saveMessages(tx, await prepareNotices(tx.db, { recipientIds, content }))
  }
}
