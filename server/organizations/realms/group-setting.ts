import { z } from 'zod'

/** The eight groups whose members follow from their roles. */
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

/** People and groups put together for one setting alone, without a name of their own. */
export type AnonymousGroup = { direct_members: number[]; direct_subgroups: number[] }

/** Who may do a thing: a system group by name (as defaults are written), a group by id, or an anonymous group. */
export type GroupSetting = SystemGroupName | number | AnonymousGroup

/** A setting's value as clients send it: a group's id, or members and subgroups. */
export const groupSettingValue = z.union([
  z.int(),
  z.object({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
])

/** A change of a setting: the new value, and the old one where the client wants a change to be refused if it lost a race. */
export const groupSettingUpdate = z.object({ new: groupSettingValue, old: groupSettingValue.optional() })

export type GroupSettingUpdate = z.infer<typeof groupSettingUpdate>
