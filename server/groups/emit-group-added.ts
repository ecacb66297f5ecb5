import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireGroup } from './access.ts'
import { emitGroupEvents, type GroupEvent } from './events.ts'
import { toGroupJson } from './group-json.ts'
import { directMemberIds, findActiveAccounts } from './members.ts'
import { findMembershipScope } from './membership.ts'

/**
 * Emits an added group to everyone in the organization. With `is_back`, only clients that removed the group when it was
 * deactivated receive the event.
 */
export async function emitGroupAdded(
  tx: Transaction,
  actor: Actor,
  id: number,
  marks: Pick<Extract<GroupEvent, { op: 'add' }>, 'is_back'> = {},
): Promise<void> {
  const scope = await findMembershipScope(tx.db, actor, tx.now)
  const group = await requireGroup(tx.db, actor, id)
  const members = directMemberIds(scope, await findActiveAccounts(tx.db, actor.realmId), group)
  await emitGroupEvents(tx, actor.realmId, [{ op: 'add', group: toGroupJson(scope.groups, group, members), ...marks }])
}
