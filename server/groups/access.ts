import { refusal } from '#lib/errors.ts'
import { insufficientPermission } from '#people/access.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { AnonymousGroup, GroupSetting, GroupSettingUpdate, SystemGroupName } from '#realms/realm-settings.ts'
import { type GroupAction, mayChangeGroup as mayChange } from '#rules/permissions.ts'
import type { Db } from '#storage/storage.ts'
import { equalSettings, type Group, type RealmGroups } from './group.ts'
import { findRealmGroups } from './queries.ts'
import type { MembershipScope, Viewer } from './viewer.ts'

// Access to groups: each function returns the group or the checked value, or refuses. It also checks the values of
// settings that name groups, for the organization, channels and groups alike: groups that exist, users of the same
// organization, and values that the setting allows.

export const invalidUserGroup = refusal('BAD_REQUEST', 400, 'Invalid user group')
export const userGroupDeactivated = refusal('BAD_REQUEST', 400, 'User group is deactivated.')

/** Returns a group of the actor's organization. Deactivated groups are included. */
export async function requireGroup(db: Db, actor: Pick<Actor, 'realmId'>, id: number): Promise<Group> {
  return requireGroupIn(await findRealmGroups(db, actor.realmId), id)
}

export function requireGroupIn(groups: RealmGroups, id: number): Group {
  const group = groups.byId.get(id)
  if (group === undefined) throw invalidUserGroup()
  return group
}

/** Returns a group that is not deactivated; it may be a system group. */
export function requireActiveGroup(groups: RealmGroups, id: number): Group {
  const group = requireGroupIn(groups, id)
  if (group.deactivatedAt !== null) throw userGroupDeactivated()
  return group
}

/** Returns a group whose members the actor may list: one of their organization that is not deactivated. */
export async function requireListedGroup(db: Db, actor: Pick<Actor, 'realmId'>, id: number): Promise<Group> {
  return requireActiveGroup(await findRealmGroups(db, actor.realmId), id)
}

export async function requireMayCreateGroups(viewer: Viewer): Promise<void> {
  if (!(await viewer.has('can_create_groups'))) throw insufficientPermission()
}

/** Returns whether the actor may perform the action on the group. System groups cannot be changed. */
export function mayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): boolean {
  const { can_manage_all_groups } = actor.realm.settings
  const rulesGroup = { isSystem: group.systemName !== null, settings: group.settings }
  return mayChange(scope, actor, rulesGroup, act, can_manage_all_groups)
}

export function requireMayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): void {
  if (!mayChangeGroup(scope, actor, group, act)) throw insufficientPermission()
}

export const invalidSettingMember = refusal('BAD_REQUEST', 400, 'Invalid user ID: {userId}')
const groupNotAllowed = refusal('BAD_REQUEST', 400, "'{setting}' setting cannot be set to '{group}' group.", {
  field: '{setting}',
})
const settingTooLong = refusal(
  'BAD_REQUEST',
  400,
  "'{setting}' setting can name at most {limit} users and groups. Use a user group instead.",
  { field: '{setting}' },
)
export const expectationMismatch = refusal(
  'EXPECTATION_MISMATCH',
  400,
  "'old' value does not match the expected value.",
)

export const groupSettingRefusals = [
  invalidUserGroup,
  userGroupDeactivated,
  invalidSettingMember,
  groupNotAllowed,
  settingTooLong,
]

/**
 * The maximum number of users and groups in the value of a setting. Clients download the settings of all channels and
 * groups, so a longer list should be made a group, which is sent only once.
 */
const MAX_SETTING_ENTRIES = 100

/** The API name of a setting, and the system groups that cannot be its value. */
type GroupSettingRule = { setting: string; excludes: readonly SystemGroupName[] }

/** The value of a setting as clients send it. */
type SettingInput = number | AnonymousGroup

/** The organization to which groups and members must belong. */
type RealmRef = Pick<Actor, 'realmId'>

/**
 * Converts the value that a client sent to the form in which settings are stored. Refuses unknown groups and users, and
 * values that the setting does not allow.
 */
export async function requireGroupSetting(
  db: Db,
  realm: RealmRef,
  value: SettingInput,
  rule: GroupSettingRule,
): Promise<GroupSetting> {
  const groups = await findRealmGroups(db, realm.realmId)
  requireShortList(value, rule)
  const setting = normalized(groups, value)
  for (const id of groupIdsOf(value)) requireAllowed(requireActiveGroup(groups, id).systemName, rule)
  if (typeof setting === 'string') requireAllowed(setting, rule)
  if (typeof setting === 'object') await requireMembers(db, realm, setting.direct_members)
  return setting
}

/**
 * Returns the new value of a setting, like `requireGroupSetting`. Also refuses if the current value is not the one that
 * the client expects.
 */
export async function requireChangedGroupSetting(
  db: Db,
  realm: RealmRef,
  current: GroupSetting,
  update: GroupSettingUpdate,
  rule: GroupSettingRule,
): Promise<GroupSetting> {
  const setting = await requireGroupSetting(db, realm, update.new, rule)
  if (update.old === undefined) return setting
  const groups = await findRealmGroups(db, realm.realmId)
  if (!equalSettings(normalized(groups, update.old), normalized(groups, current))) throw expectationMismatch()
  return setting
}

/** Refuses ids that do not belong to active accounts of the organization. */
export async function requireMembers(db: Db, realm: RealmRef, ids: readonly number[]): Promise<void> {
  const users = new Map((await findUsersById(db, ids)).map((user) => [user.id, user]))
  for (const userId of ids) {
    const user = users.get(userId)
    if (user?.realmId !== realm.realmId || user.deactivatedAt !== null) throw invalidSettingMember({ userId })
  }
}

function requireShortList(value: SettingInput, { setting }: GroupSettingRule): void {
  if (typeof value !== 'object') return
  if (value.direct_members.length + value.direct_subgroups.length > MAX_SETTING_ENTRIES)
    throw settingTooLong({ setting, limit: MAX_SETTING_ENTRIES })
}

function requireAllowed(group: SystemGroupName | null, { setting, excludes }: GroupSettingRule): void {
  if (group !== null && excludes.includes(group)) throw groupNotAllowed({ setting, group })
}

const groupIdsOf = (value: SettingInput) => (typeof value === 'number' ? [value] : value.direct_subgroups)

/**
 * Returns the canonical form of a value. System groups are given by name, a single other group by its id, and lists in
 * ascending order without duplicates.
 */
function normalized(groups: RealmGroups, value: GroupSetting): GroupSetting {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return groups.byId.get(value)?.systemName ?? value
  const members = ascending(value.direct_members)
  const subgroups = ascending(value.direct_subgroups)
  const [first] = subgroups
  if (members.length > 0 || subgroups.length > 1) return { direct_members: members, direct_subgroups: subgroups }
  return first === undefined ? 'role:nobody' : normalized(groups, first)
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other)
