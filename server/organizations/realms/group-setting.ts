import { z } from 'zod'

/** The eight groups whose members are determined by role. */
export const systemGroupNames = [
  'role:internet',
  'role:owners',
  'role:administrators',
  'role:moderators',
  'role:fullmembers',
  'role:members',
  'role:everyone',
  'role:nobody',
] as const

export type SystemGroupName = (typeof systemGroupNames)[number]

/** A group without a name, which exists only as the value of one setting. */
export type AnonymousGroup = { direct_members: number[]; direct_subgroups: number[] }

/** The holders of a permission: a system group by name, as in defaults, a group by id, or an anonymous group. */
export type GroupSetting = SystemGroupName | number | AnonymousGroup

/** The value of a setting as clients send it: the id of a group, or members and subgroups. */
export const groupSettingValue = z.union([
  z.int(),
  z.object({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
])

/**
 * A change of a setting: the new value and, optionally, the old one. The change is refused if the old value is no
 * longer current.
 */
export const groupSettingUpdate = z.object({ new: groupSettingValue, old: groupSettingValue.optional() })

export type GroupSettingUpdate = z.infer<typeof groupSettingUpdate>
