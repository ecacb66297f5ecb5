import { z } from 'zod'

/** The names of the eight groups whose members are determined by role. */
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

/**
 * The users who have a permission: a system group by name, any group by id, or an anonymous group. Defaults use names
 * of system groups.
 */
export type GroupSetting = SystemGroupName | number | AnonymousGroup

/** The value of a group setting as clients send it: the id of a group, or members and subgroups. */
export const groupSettingValue = z.union([
  z.int(),
  z.object({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
])

/**
 * A change of a group setting: the new value and, optionally, the old one. The change is refused if the old value is no
 * longer current.
 */
export const groupSettingUpdate = z.object({ new: groupSettingValue, old: groupSettingValue.optional() })

export type GroupSettingUpdate = z.infer<typeof groupSettingUpdate>
