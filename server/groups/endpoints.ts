import {
  createGroupEndpoint,
  deactivateGroupEndpoint,
  listGroupsEndpoint,
  updateGroupEndpoint,
} from './endpoints/manage-groups.ts'
import {
  changeMembersEndpoint,
  changeSubgroupsEndpoint,
  getMembership,
  listMembers,
  listSubgroups,
} from './endpoints/members.ts'

export const groupEndpoints = [
  createGroupEndpoint,
  listGroupsEndpoint,
  updateGroupEndpoint,
  deactivateGroupEndpoint,
  changeMembersEndpoint,
  listMembers,
  getMembership,
  listSubgroups,
  changeSubgroupsEndpoint,
]
