import { type GroupSettingName, type GroupSettings, groupSettingExclusions, groupSettingNames } from '#groups/group.ts'
import { requireGroupName } from '#groups/group-name.ts'
import {
  findRealmGroups,
  saveGroup,
  saveGroupFields,
  saveGroupMembers,
  saveGroupSettings,
  saveSubgroups,
} from '#groups/queries.ts'
import type { User } from '#people/users/user.ts'
import { type GroupSetting, type SystemGroupName, systemGroupNames } from '#realms/group-setting.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireAt } from './import-error.ts'
import { type ImportReport, reportUnknownPermissions } from './import-report.ts'
import { type ExportData, REALM_FILE } from './read-export.ts'
import type { ImportedUsers } from './users.ts'

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
    const setting = toSetting(row[name], groupSettingExclusions[name])
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
