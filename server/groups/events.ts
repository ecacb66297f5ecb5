import type { Transaction } from '../storage/storage.ts'
import { findActiveUserIds } from '../users/queries.ts'
import type { GroupJson } from './group-json.ts'

/** What can happen to a group, as `user_group` events name it. */
export type GroupEvent =
  | { op: 'add'; group: GroupJson /** For clients to which it was gone while it was out of use. */; is_back?: true }
  | { op: 'update'; group_id: number; data: Partial<GroupJson> }
  | { op: 'add_members' | 'remove_members'; group_id: number; user_ids: readonly number[] }
  | { op: 'add_subgroups' | 'remove_subgroups'; group_id: number; direct_subgroup_ids: readonly number[] }

/** Tells everybody of what happened to groups of the organization. */
export async function tellOfGroups(tx: Transaction, realmId: number, events: readonly GroupEvent[]): Promise<void> {
  if (events.length === 0) return
  const everyone = await findActiveUserIds(tx.db, realmId)
  for (const event of events) tx.emit(realmId, { type: 'user_group', ...event }, everyone)
}
