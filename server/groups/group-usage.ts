import { refusal } from '#lib/errors/refusal.ts'
import type { GroupSetting } from '#realms/group-setting.ts'
import type { Realm } from '#realms/realm.ts'
import { realmPermissionNames } from '#realms/settings.ts'
import type { Db } from '#storage/storage.ts'
import type { Group } from './group.ts'
import type { RealmGroups } from './queries.ts'

/** A use of a group that prevents its deactivation, as an entry of the error's `objections`. */
type Objection =
  | { type: 'subgroup'; supergroup_ids: number[] }
  | { type: 'channel'; channel_id: number; settings: string[] }
  | { type: 'user_group'; group_id: number; settings: string[] }
  | { type: 'realm'; settings: string[] }

export const groupInUse = refusal('CANNOT_DEACTIVATE_GROUP_IN_USE', 400, 'Cannot deactivate user group in use.', {
  extras: ({ objections }: { objections: readonly Objection[] }) => ({ objections }),
})

/**
 * Refuses if an active group contains the group as a direct subgroup, or if a setting names it. Only settings of the
 * organization, active channels and active groups count.
 */
export async function requireGroupUnused(db: Db, realm: Realm, groups: RealmGroups, group: Group): Promise<void> {
  const others = [...groups.byId.values()].filter(({ id, deactivatedAt }) => id !== group.id && deactivatedAt === null)
  const objections: Objection[] = []

  const supergroups = others.filter(({ subgroupIds }) => subgroupIds.includes(group.id))
  if (supergroups.length > 0) objections.push({ type: 'subgroup', supergroup_ids: supergroups.map(({ id }) => id) })
  for (const channel of await findChannelSettings(db, realm.id)) {
    const settings = settingsNaming(group.id, channel.settings)
    if (settings.length > 0) objections.push({ type: 'channel', channel_id: channel.id, settings })
  }
  for (const other of others) {
    const settings = settingsNaming(group.id, other.settings)
    if (settings.length > 0) objections.push({ type: 'user_group', group_id: other.id, settings })
  }
  const permissions = Object.fromEntries(realmPermissionNames.map((name) => [name, realm.settings[name]]))
  const settings = settingsNaming(group.id, permissions)
  if (settings.length > 0) objections.push({ type: 'realm', settings })

  if (objections.length > 0) throw groupInUse({ objections })
}

/** Returns the names of those settings whose value contains the group, alone or with others. */
function settingsNaming(groupId: number, settings: Readonly<Record<string, GroupSetting>>): string[] {
  return Object.keys(settings).filter((name) => {
    const setting = settings[name]
    return typeof setting === 'object' ? setting.direct_subgroups.includes(groupId) : setting === groupId
  })
}

/** Returns the settings of active channels that differ from their defaults. The defaults contain only system groups. */
async function findChannelSettings(
  db: Db,
  realmId: number,
): Promise<{ id: number; settings: Record<string, GroupSetting> }[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'settings'])
    .where('realmId', '=', realmId)
    .where('archivedAt', 'is', null)
    .where('settings', '!=', '{}')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id, settings: JSON.parse(row.settings) as Record<string, GroupSetting> }))
}
