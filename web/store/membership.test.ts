import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverEvent } from '../../test/web/server-event.ts'
import { groupsAfterEvent } from '../live/events/channel-events.ts'
import { isInSetting, membersOf } from './membership.ts'

type Groups = Parameters<typeof membersOf>[0]

const group = (id: number, members: number[], direct_subgroup_ids: number[] = []) => ({
  id,
  name: `group ${id}`,
  members,
  direct_subgroup_ids,
})

const groups = [group(1, [10], [2]), group(2, [11], [3]), group(3, [12], [1, 99])] as unknown as Groups

test('a group includes members of nested subgroups, even in cycles', () => {
  assert.deepEqual([...membersOf(groups, [2])].sort(), [10, 11, 12])
  assert.deepEqual([...membersOf(groups, [99])], [])
})

test('a setting names users by a group, by several groups, or one by one', () => {
  const isAmong = (userId: number, setting: Parameters<typeof isInSetting>[2]) => isInSetting(groups, userId, setting)

  assert.equal(isAmong(12, 1), true)
  assert.equal(isAmong(13, 1), false)
  assert.equal(isAmong(13, { direct_members: [13], direct_subgroups: [] }), true)
  assert.equal(isAmong(11, { direct_members: [], direct_subgroups: [2] }), true)
  assert.equal(isAmong(11, { direct_members: [], direct_subgroups: [] }), false)
})

test('events keep groups, members and subgroups up to date', () => {
  const events = [
    { op: 'add', group: group(4, []) },
    { op: 'add_members', group_id: 4, user_ids: [20, 21] },
    { op: 'remove_members', group_id: 4, user_ids: [20] },
    { op: 'add_subgroups', group_id: 4, direct_subgroup_ids: [2, 3] },
    { op: 'remove_subgroups', group_id: 4, direct_subgroup_ids: [2] },
    { op: 'update', group_id: 4, data: { name: 'makers' } },
    { op: 'remove', group_id: 1 },
  ]

  const after = events.reduce<Groups>(
    (known, event) => groupsAfterEvent(known, serverEvent('user_group', event)) ?? [],
    groups,
  )

  assert.deepEqual(after.at(-1), { ...group(4, [21], [3]), name: 'makers' })
  assert.deepEqual(
    after.map(({ id }) => id),
    [2, 3, 4],
  )
  assert.equal(groupsAfterEvent(groups, serverEvent('user_group', { op: 'renumber' })), null)
})
