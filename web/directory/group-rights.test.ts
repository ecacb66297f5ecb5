import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Group } from '../store/organization.ts'
import {
  excludedSubgroups,
  type GroupRules,
  mayAddTo,
  mayCreateGroups,
  mayJoinGroup,
  mayLeaveGroup,
  mayManage,
} from './group-rights.ts'

const [ADA, BEN, GUS] = [1, 2, 3]
const [NOBODY, EVERYONE, DESIGN, OWNERS] = [10, 11, 12, 13]

const group = (id: number, rest: Partial<Group> = {}): Group => ({
  id,
  name: `group ${id}`,
  description: '',
  date_created: 0,
  creator_id: null,
  members: [],
  direct_subgroup_ids: [],
  is_system_group: false,
  deactivated: false,
  can_add_members_group: NOBODY,
  can_join_group: NOBODY,
  can_leave_group: EVERYONE,
  can_manage_group: NOBODY,
  can_mention_group: EVERYONE,
  can_remove_members_group: NOBODY,
  ...rest,
})

const groups = [
  group(NOBODY, { is_system_group: true }),
  group(EVERYONE, { is_system_group: true, members: [ADA, BEN, GUS] }),
  group(OWNERS, { is_system_group: true, members: [ADA] }),
]

const scopeOf = (user_id: number, is_guest = false): GroupRules => ({
  user_id,
  is_guest,
  realm_user_groups: groups,
  realm_can_create_groups: EVERYONE,
  realm_can_manage_all_groups: OWNERS,
})

test('a group is administered by users whom its setting names and by those who can administer all; role-based groups by no one', () => {
  const design = group(DESIGN, { can_manage_group: { direct_members: [BEN], direct_subgroups: [] } })

  const may = [ADA, BEN, GUS].map((id) => mayManage(scopeOf(id), design))

  assert.deepEqual(may, [true, true, false])
  assert.equal(mayManage(scopeOf(ADA), groups[2]!), false)
})

test('users who can add members can join, but not vice versa', () => {
  const adds = group(DESIGN, { can_add_members_group: EVERYONE })
  const joins = group(DESIGN, { can_join_group: EVERYONE })

  assert.deepEqual([mayAddTo(scopeOf(BEN), adds), mayJoinGroup(scopeOf(BEN), adds)], [true, true])
  assert.deepEqual([mayAddTo(scopeOf(BEN), joins), mayJoinGroup(scopeOf(BEN), joins)], [false, true])
})

test("guests can't create, administer or join groups, but leave them", () => {
  const open = group(DESIGN, { can_manage_group: EVERYONE, can_join_group: EVERYONE })
  const scope = scopeOf(GUS, true)

  const may = [mayCreateGroups(scope), mayManage(scope, open), mayJoinGroup(scope, open), mayLeaveGroup(scope, open)]

  assert.deepEqual(may, [false, false, false, true])
})

test('a group is not offered as a subgroup of its own subgroups, nor twice', () => {
  const [inner, middle, outer, other] = [
    group(20),
    group(21, { direct_subgroup_ids: [20] }),
    group(22, { direct_subgroup_ids: [21] }),
    group(23),
  ]
  const all = [inner!, middle!, outer!, other!]

  assert.deepEqual([...excludedSubgroups(all, inner!)].sort(), [20, 21, 22])
  assert.deepEqual([...excludedSubgroups(all, outer!)].sort(), [21, 22])
  assert.deepEqual([...excludedSubgroups(all, other!)], [23])
})
