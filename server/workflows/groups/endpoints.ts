import {
  createGroupEndpoint,
  deactivateGroupEndpoint,
  listGroupsEndpoint,
  updateGroupEndpoint,
} from '#groups/endpoints/manage-groups.ts'
import {
  changeMembersEndpoint,
  changeSubgroupsEndpoint,
  getMembership,
  listMembers,
  listSubgroups,
} from './members-endpoints.ts'

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
