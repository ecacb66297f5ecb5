import {
  type GroupSettingName,
  type GroupSettings,
  groupSettingDeclarations,
  groupSettingNames,
  requireGroupName,
} from '#groups/group.ts'
import {
  findRealmGroups,
  saveGroup,
  saveGroupFields,
  saveGroupMembers,
  saveGroupSettings,
  saveSubgroups,
} from '#groups/queries.ts'
import type { User } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import {
  type GroupSetting,
  type RealmPermissionName,
  type SystemGroupName,
  systemGroupNames,
} from '#realms/realm-settings.ts'
import type { Transaction } from '#storage/storage.ts'
import { type ImportReport, reportUnknownPermissions } from './import-report.ts'
import { type ExportData, REALM_FILE, requireAt } from './read-export.ts'
import type { ImportedUsers } from './users.ts'

/** The groups by the numeric permission levels of older versions, in which settings were numbers and not groups. */
const common: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:members',
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
  5: 'role:everyone',
  6: 'role:nobody',
  7: 'role:owners',
}

const mentions: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:everyone',
  2: 'role:members',
  3: 'role:fullmembers',
  5: 'role:administrators',
  6: 'role:nobody',
  7: 'role:moderators',
}

const [bots, hooks]: Readonly<Record<number, SystemGroupName>>[] = [
  { 1: 'role:members', 2: 'role:administrators', 3: 'role:administrators' },
  { 1: 'role:members', 2: 'role:members', 3: 'role:administrators' },
]

type Policy = { name: string; permission: RealmPermissionName; groups: Readonly<Record<number, SystemGroupName>> }

/** The settings of older versions, and the settings that replaced them. */
export const legacyPolicies: readonly Policy[] = [
  { name: 'create_public_stream_policy', permission: 'can_create_public_channel_group', groups: common },
  { name: 'create_private_stream_policy', permission: 'can_create_private_channel_group', groups: common },
  { name: 'create_web_public_stream_policy', permission: 'can_create_web_public_channel_group', groups: common },
  { name: 'invite_to_realm_policy', permission: 'can_invite_users_group', groups: common },
  { name: 'invite_to_stream_policy', permission: 'can_add_subscribers_group', groups: common },
  {
    name: 'move_messages_between_streams_policy',
    permission: 'can_move_messages_between_channels_group',
    groups: common,
  },
  { name: 'edit_topic_policy', permission: 'can_move_messages_between_topics_group', groups: common },
  { name: 'user_group_edit_policy', permission: 'can_create_groups', groups: common },
  { name: 'user_group_edit_policy', permission: 'can_manage_all_groups', groups: common },
  { name: 'add_custom_emoji_policy', permission: 'can_add_custom_emoji_group', groups: common },
  { name: 'delete_own_message_policy', permission: 'can_delete_own_message_group', groups: common },
  { name: 'wildcard_mention_policy', permission: 'can_mention_many_users_group', groups: mentions },
  { name: 'bot_creation_policy', permission: 'can_create_bots_group', groups: bots! },
  { name: 'bot_creation_policy', permission: 'can_create_write_only_bots_group', groups: hooks! },
  {
    name: 'private_message_policy',
    permission: 'direct_message_permission_group',
    groups: { 1: 'role:everyone', 2: 'role:nobody' },
  },
]

/** The groups that may send messages to a channel, by their numbers in older versions. */
export const postPolicies: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:everyone',
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
}

export type ImportedGroups = {
  /** Returns the setting for a group id of the export; null if the default applies. */
  toSetting(oldId: unknown, excludes: readonly SystemGroupName[]): GroupSetting | null
}

type Parts = { realm: Realm; accounts: ImportedUsers; owner: User; report: ImportReport }

/** Creates the user-defined groups; the eight system groups exist already. */
export async function importGroups(tx: Transaction, data: ExportData, parts: Parts): Promise<ImportedGroups> {
  const { realm, accounts, owner, report } = parts
  const { groups } = data
  const { systemId } = await findRealmGroups(tx.db, realm.id)
  const [system, newId] = [new Map<number, SystemGroupName>(), new Map<number, number>()]
  for (const [id, row] of groups.named) {
    const systemName = row.is_system_group ? toSystemName(row.name) : null
    if (systemName !== null) {
      system.set(id, systemName)
      newId.set(id, systemId[systemName])
      continue
    }
    const name = requireAt(`${REALM_FILE}, user group ${id}`, () => requireGroupName(row.name))
    reportUnknownPermissions(row, groupSettingNames, report)
    const creator = accounts.get(row.creator ?? 0) ?? owner
    const description = Array.from(row.description).slice(0, 1024).join('')
    const group = { realmId: realm.id, name, description, creatorId: creator.id, settings: {} }
    newId.set(id, await saveGroup(tx, { ...group, memberIds: [], subgroupIds: [] }))
    await saveGroupFields(tx, newId.get(id)!, {
      createdAt: row.date_created ?? tx.now,
      ...(row.deactivated && { deactivatedAt: tx.now }),
    })
  }

  const membersOf = (id: number) => idsOf(groups.members.get(id)?.map((row) => accounts.get(row.user_profile)?.id))
  const subgroupsOf = (id: number) => idsOf(groups.subgroups.get(id)?.map((row) => newId.get(row.subgroup)))
  const toSetting: ImportedGroups['toSetting'] = (oldId, excludes) => {
    if (typeof oldId !== 'number' || !groups.ids.has(oldId)) return null
    const only = system.get(oldId) ?? newId.get(oldId)
    const setting = only ?? anonymous(membersOf(oldId), subgroupsOf(oldId), systemId)
    const named = typeof setting === 'object' ? setting.direct_subgroups : [setting]
    const isExcluded = named.some((one) => excludes.some((name) => one === name || one === systemId[name]))
    if (!isExcluded) return setting
    report.add('permissions', 'they name a group that they cannot have here: the default applies')
    return null
  }
  for (const [id] of groups.named) {
    const group = newId.get(id)
    if (group === undefined || system.has(id)) continue
    await saveGroupMembers(tx, group, membersOf(id))
    await saveSubgroups(tx, group, subgroupsOf(id))
    await saveGroupSettings(tx, group, settingsOf(groups.named.get(id)!, toSetting))
  }
  return { toSetting }
}

function settingsOf(
  row: Readonly<Record<string, unknown>>,
  toSetting: ImportedGroups['toSetting'],
): Partial<GroupSettings> {
  const settings: Partial<GroupSettings> = {}
  for (const name of groupSettingNames as GroupSettingName[]) {
    const setting = toSetting(row[name], groupSettingDeclarations[name].excludes)
    if (setting !== null) settings[name] = setting
  }
  return settings
}

const idsOf = (ids: readonly (number | undefined)[] = []) => [...new Set(ids.filter((id) => id !== undefined))]

/** Returns the stored form of a setting that contains these members and subgroups. */
function anonymous(members: number[], subgroups: number[], systemId: Record<SystemGroupName, number>): GroupSetting {
  const [first] = subgroups
  if (members.length > 0 || subgroups.length > 1) {
    return {
      direct_members: members.toSorted((one, other) => one - other),
      direct_subgroups: subgroups.toSorted((one, other) => one - other),
    }
  }
  if (first === undefined) return 'role:nobody'
  return systemGroupNames.find((name) => systemId[name] === first) ?? first
}

/** Older versions wrote the names with an @. */
function toSystemName(name: string): SystemGroupName | null {
  const plain = name.replace(/^@/, '')
  return systemGroupNames.find((one) => one === plain) ?? null
}
