import type { Actor } from '../people/users/user.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import { requireGroup } from './access.ts'
import { type GroupEvent, tellOfGroups } from './events.ts'
import { toGroupJson } from './group-json.ts'
import { directMemberIds, findPeople } from './members.ts'
import { membershipScope } from './membership.ts'

/** Tells everybody of a group that is there now; `is_back`: only those to whom it was gone. */
export async function tellOfNewGroup(
  tx: Transaction,
  actor: Actor,
  id: number,
  marks: Pick<Extract<GroupEvent, { op: 'add' }>, 'is_back'> = {},
): Promise<void> {
  const scope = await membershipScope(tx.db, actor, tx.now)
  const group = await requireGroup(tx.db, actor, id)
  const members = directMemberIds(scope, await findPeople(tx.db, actor.realmId), group)
  await tellOfGroups(tx, actor.realmId, [{ op: 'add', group: toGroupJson(scope.groups, group, members), ...marks }])
}
