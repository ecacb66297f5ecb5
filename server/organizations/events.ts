import type { ProfileFieldJson } from '../people/profiles/field.ts'
import { findActiveUserIds } from '../people/users/queries.ts'
import type { Transaction } from '../platform/storage/storage.ts'
import type { DomainJson } from './realms/domain-json.ts'
import type { EmojiJson } from './realms/emoji-json.ts'
import type { LinkifierJson } from './realms/linkifier-json.ts'
import type { PlaygroundJson } from './realms/playground-json.ts'

/** The events about an organization. */
export type OrganizationEvent =
  | { type: 'realm'; op: 'update'; property: string; value: unknown }
  | { type: 'realm'; op: 'update_dict'; property: 'default'; data: Readonly<Record<string, unknown>> }
  | { type: 'realm'; op: 'deactivated'; realm_id: number }
  | { type: 'realm_domains'; op: 'add' | 'change'; realm_domain: DomainJson }
  | { type: 'realm_domains'; op: 'remove'; domain: string }
  | { type: 'realm_emoji'; op: 'update'; realm_emoji: Readonly<Record<string, EmojiJson>> }
  | { type: 'realm_linkifiers'; realm_linkifiers: readonly LinkifierJson[] }
  | { type: 'realm_playgrounds'; realm_playgrounds: readonly PlaygroundJson[] }
  | { type: 'realm_user_settings_defaults'; op: 'update'; property: string; value: unknown }
  | { type: 'custom_profile_fields'; fields: readonly ProfileFieldJson[] }

/** Emits events to all active users of the organization. */
export async function emitOrganizationEvents(
  tx: Transaction,
  realmId: number,
  events: readonly OrganizationEvent[],
): Promise<void> {
  if (events.length === 0) return
  const everyone = await findActiveUserIds(tx.db, realmId)
  for (const event of events) tx.emit(realmId, event, everyone)
}
