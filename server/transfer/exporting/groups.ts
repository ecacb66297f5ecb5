import { groupSettingNames, type RealmGroups } from '#groups/group.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { GroupSetting } from '#realms/realm-settings.ts'
import type { Db } from '#storage/storage.ts'
import type { ExportTables, GroupRow } from './tables.ts'

/**
 * The groups in the export: the groups of the organization, and unnamed groups for settings. The format has one list
 * for both.
 */
export type GroupIds = {
  /**
   * Returns the id of the group in the setting. For users or several groups, returns the id of an unnamed group with
   * these members.
   */
  idOf(setting: GroupSetting): number
  /** Returns the tables of groups. Must be called after all calls of `idOf`. */
  tables(): ExportTables
}

export async function openGroupIds(db: Db, realm: Realm): Promise<GroupIds> {
  const groups = await findRealmGroups(db, realm.id)
  const unnamed = new Map<string, { id: number; members: readonly number[]; subgroups: readonly number[] }>()
  let lastId = Math.max(...groups.byId.keys())

  function idOf(setting: GroupSetting): number {
    if (typeof setting === 'string') return groups.systemId[setting]
    if (typeof setting === 'number') return setting
    const { direct_members: members, direct_subgroups: subgroups } = setting
    const key = JSON.stringify([members, subgroups])
    const known = unnamed.get(key)
    if (known !== undefined) return known.id
    lastId += 1
    unnamed.set(key, { id: lastId, members, subgroups })
    return lastId
  }

  function tables(): ExportTables {
    const named = namedGroups(groups, realm, idOf)
    const people = [...groups.byId.values()].map(({ id, memberIds, subgroupIds, systemName }) =>
      systemName === null
        ? { id, members: [...memberIds], subgroups: subgroupIds }
        : { id, members: [], subgroups: subgroupIds },
    )
    const all = [...people, ...unnamed.values()]
    return {
      zerver_namedusergroup: named,
      zerver_usergroup: all.map(({ id }) => ({ id, realm: realm.id })),
      zerver_usergroupmembership: all.flatMap(({ id, members }) =>
        members.map((userId) => ({ user_group: id, user_profile: userId })),
      ),
      zerver_groupgroupmembership: all.flatMap(({ id, subgroups }) =>
        subgroups.map((subgroup) => ({ supergroup: id, subgroup })),
      ),
    }
  }

  return { idOf, tables }
}

function namedGroups({ byId }: RealmGroups, realm: Realm, idOf: GroupIds['idOf']): GroupRow[] {
  return [...byId.values()].map((group) => ({
    usergroup_ptr: group.id,
    realm: realm.id,
    name: group.name,
    description: group.description,
    is_system_group: group.systemName !== null,
    creator: group.creatorId,
    date_created: group.createdAt,
    deactivated: group.deactivatedAt !== null,
    ...Object.fromEntries(groupSettingNames.map((name) => [name, idOf(group.settings[name])])),
  }))
}
