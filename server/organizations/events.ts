import { findActiveUserIds } from '#people/users/queries.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'

/** An event about an organization itself. */
export type OrganizationEvent = EmittedOfType<
  | 'realm'
  | 'realm_domains'
  | 'realm_emoji'
  | 'realm_linkifiers'
  | 'realm_playgrounds'
  | 'realm_user_settings_defaults'
  | 'custom_profile_fields'
>

/** Emits events to all active users of the organization. */
export async function emitOrganizationEvents(
  tx: Transaction,
  realmId: number,
  events: readonly OrganizationEvent[],
): Promise<void> {
  if (events.length === 0) return
  const userIds = await findActiveUserIds(tx.db, realmId)
  for (const event of events) tx.emit(realmId, event, userIds)
}
