import { createGroup, deactivateGroup, listGroups, updateGroup } from './endpoints/manage-groups.ts'
import { changeMembers, changeSubgroups, getMembership, listMembers, listSubgroups } from './endpoints/members.ts'

export const groupEndpoints = [
  createGroup,
  listGroups,
  updateGroup,
  deactivateGroup,
  changeMembers,
  listMembers,
  getMembership,
  listSubgroups,
  changeSubgroups,
]
