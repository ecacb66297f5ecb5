import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type GroupTables = {
  userGroups: {
    id: Generated<number>
    realmId: number
    name: string
    description: string
    /**
     * `role:…` for the eight system groups; null for other groups. Users are members of system groups by their role.
     */
    systemName: string | null
    creatorId: number | null
    createdAt: number
    deactivatedAt: number | null
    /** The permission settings that differ from their defaults, by API name. */
    settings: Json
  }

  userGroupMembers: { groupId: number; userId: number }

  userGroupSubgroups: { groupId: number; subgroupId: number }
}
