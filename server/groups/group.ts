import { z } from 'zod'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import {
  type AnonymousGroup,
  excludesGuests,
  excludesInternet,
  type GroupSetting,
  groupSettingValue,
  type SystemGroupName,
} from '#realms/realm-settings.ts'
import { Role } from '#rules/role.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'

// A user group: its fields, name and permissions, and the system groups, whose members follow from roles. Groups may
// contain groups, but never in a circle.

export type Group = {
  id: number
  realmId: number
  name: string
  description: string
  /**
   * The name of a system group; null for all other groups. The members of the eight system groups are determined by
   * role.
   */
  systemName: SystemGroupName | null
  creatorId: number | null
  createdAt: number
  deactivatedAt: number | null
  settings: GroupSettings
  /** The direct members; empty for system groups, whose members are determined by role. */
  memberIds: ReadonlySet<number>
  subgroupIds: readonly number[]
}

/** All groups of an organization, including deactivated ones. */
export type RealmGroups = {
  byId: ReadonlyMap<number, Group>
  systemId: Readonly<Record<SystemGroupName, number>>
}

/**
 * The permissions on a group by API name: the default, and the system groups that cannot be the value. If
 * `role:everyone` is excluded, guests never have the permission.
 */
export const groupSettingDeclarations = {
  can_add_members_group: { fallback: 'creator', excludes: excludesGuests },
  can_join_group: { fallback: 'role:nobody', excludes: excludesGuests },
  can_leave_group: { fallback: 'role:everyone', excludes: excludesInternet },
  can_manage_group: { fallback: 'creator', excludes: excludesGuests },
  can_mention_group: { fallback: 'role:everyone', excludes: excludesInternet },
  can_remove_members_group: { fallback: 'role:nobody', excludes: excludesGuests },
} as const satisfies Record<string, { fallback: SystemGroupName | 'creator'; excludes: readonly SystemGroupName[] }>

export type GroupSettingName = keyof typeof groupSettingDeclarations

export const groupSettingNames = Object.keys(groupSettingDeclarations) as GroupSettingName[]

export type GroupSettings = Record<GroupSettingName, GroupSetting>

/**
 * Returns the settings of a group that `creatorId` created. Settings that were never changed have their defaults. If
 * `creatorId` is null, the group is a system group, which cannot be changed, joined or mentioned.
 */
export function readGroupSettings(changed: string, creatorId: number | null): GroupSettings {
  const creator: GroupSetting = { direct_members: creatorId === null ? [] : [creatorId], direct_subgroups: [] }
  const defaults = Object.entries(groupSettingDeclarations).map(([name, { fallback }]) => {
    if (creatorId === null) return [name, 'role:nobody']
    return [name, fallback === 'creator' ? creator : fallback]
  })
  return { ...Object.fromEntries(defaults), ...(JSON.parse(changed) as Partial<GroupSettings>) }
}

/** Returns true for members who have passed the organization's waiting period, and for all higher roles. */
export function isFullMember(
  user: { role: number; joinedAt: number },
  waitingPeriodDays: number,
  now: number,
): boolean {
  if (user.role < Role.member) return true
  return user.role === Role.member && user.joinedAt + waitingPeriodDays * SECONDS_PER_DAY <= now
}

/** Returns whether an account is in a system group, directly or through a subgroup. */
export function isInSystemGroup(
  name: SystemGroupName,
  user: { role: number; joinedAt: number },
  waitingPeriodDays: number,
  now: number,
): boolean {
  switch (name) {
    case 'role:nobody':
      return false
    case 'role:owners':
      return user.role <= Role.owner
    case 'role:administrators':
      return user.role <= Role.administrator
    case 'role:moderators':
      return user.role <= Role.moderator
    case 'role:fullmembers':
      return isFullMember(user, waitingPeriodDays, now)
    case 'role:members':
      return user.role <= Role.member
    case 'role:everyone':
    case 'role:internet':
      return true
  }
}

export const systemSubgroups: Record<SystemGroupName, readonly SystemGroupName[]> = {
  'role:nobody': [],
  'role:owners': [],
  'role:administrators': ['role:owners'],
  'role:moderators': ['role:administrators'],
  'role:fullmembers': ['role:moderators'],
  'role:members': ['role:fullmembers'],
  'role:everyone': ['role:members'],
  'role:internet': ['role:everyone'],
}

export const systemGroupDescriptions: Record<SystemGroupName, string> = {
  'role:nobody': 'Nobody',
  'role:owners': 'Owners of this organization',
  'role:administrators': 'Administrators of this organization, including owners',
  'role:moderators': 'Moderators of this organization, including administrators',
  'role:fullmembers': 'Members of this organization, not including new accounts and guests',
  'role:members': 'Members of this organization, not including guests',
  'role:everyone': 'Everyone in this organization, including guests',
  'role:internet': 'Everyone on the Internet',
}

export function equalSettings(one: GroupSetting, other: GroupSetting): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other
  return equalIds(one.direct_members, other.direct_members) && equalIds(one.direct_subgroups, other.direct_subgroups)
}

const equalIds = (one: AnonymousGroup['direct_members'], other: AnonymousGroup['direct_members']) =>
  new Set(one).symmetricDifference(new Set(other)).size === 0

/** Returns a setting as clients see it. Names of system groups become ids. */
export function toGroupSettingJson(groups: RealmGroups, setting: GroupSetting): Exclude<GroupSetting, SystemGroupName> {
  return typeof setting === 'string' ? groups.systemId[setting] : setting
}

const groupNameEmpty = refusal('BAD_REQUEST', 400, "User group name can't be empty!", { field: 'name' })
const groupNameTooLong = refusal(
  'BAD_REQUEST',
  400,
  `User group name cannot exceed ${MAX_LENGTH.groupName} characters.`,
  {
    field: 'name',
  },
)
const groupNamePrefix = refusal('BAD_REQUEST', 400, "User group name cannot start with '{prefix}'.", {
  field: 'name',
})
const groupNameCharacter = refusal('BAD_REQUEST', 400, 'Invalid characters in user group name.', {
  field: 'name',
})
const groupNameTaken = refusal('BAD_REQUEST', 400, "User group '{name}' already exists.", { field: 'name' })

export const groupNameRefusals = [groupNameEmpty, groupNameTooLong, groupNamePrefix, groupNameCharacter, groupNameTaken]

/** Names with these prefixes would be read as other mentions or as system groups. */
const RESERVED_PREFIXES = ['@', 'role:', 'user:', 'stream:', 'channel:']

/** Returns the name without surrounding white space. Refuses an invalid name. */
export function requireGroupName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw groupNameEmpty()
  if (Array.from(name).length > MAX_LENGTH.groupName) throw groupNameTooLong()
  const prefix = RESERVED_PREFIXES.find((reserved) => name.startsWith(reserved))
  if (prefix !== undefined) throw groupNamePrefix({ prefix })
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw groupNameCharacter()
  return name
}

/** Refuses the name of an active group, unless that group is `exceptId`. Case is ignored, as it is in mentions. */
export function requireUniqueGroupName(groups: RealmGroups, name: string, exceptId: number | null): void {
  const key = name.toLowerCase()
  for (const group of groups.byId.values()) {
    if (group.id === exceptId || group.deactivatedAt !== null) continue
    if (group.name.toLowerCase() === key) throw groupNameTaken({ name })
  }
}

/** The maximum length of a description, in code points. */
const MAX_DESCRIPTION_LENGTH = 1024

export const groupDescriptionTooLong = refusal(
  'BAD_REQUEST',
  400,
  `description is too long (limit: ${MAX_DESCRIPTION_LENGTH} characters)`,
  { field: 'description' },
)

export function requireGroupDescription(description: string): string {
  if (Array.from(description).length > MAX_DESCRIPTION_LENGTH) throw groupDescriptionTooLong()
  return description
}

const settingsJson = Object.fromEntries(groupSettingNames.map((name) => [name, groupSettingValue])) as Record<
  GroupSettingName,
  typeof groupSettingValue
>

export const groupJson = z.object({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  date_created: z.int().nullable().describe('Null for system groups.'),
  creator_id: z.int().nullable().describe('Null for system groups.'),
  members: z.array(z.int()).describe('Active direct members.'),
  direct_subgroup_ids: z.array(z.int()),
  is_system_group: z.boolean().describe('Whether membership is determined by role.'),
  deactivated: z.boolean(),
  ...settingsJson,
})

export type GroupJson = z.infer<typeof groupJson>

export function toGroupJson(groups: RealmGroups, group: Group, directMemberIds: readonly number[]): GroupJson {
  const settings = groupSettingNames.map((name) => [name, toGroupSettingJson(groups, group.settings[name])])
  return {
    id: group.id,
    name: group.name,
    description: group.description,
    date_created: group.systemName === null ? Math.floor(group.createdAt) : null,
    creator_id: group.creatorId,
    members: [...directMemberIds],
    direct_subgroup_ids: [...group.subgroupIds],
    is_system_group: group.systemName !== null,
    deactivated: group.deactivatedAt !== null,
    ...(Object.fromEntries(settings) as Pick<GroupJson, GroupSettingName>),
  }
}
