import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lists } from '../../test/web/picking-lists.ts'
import { CHOSEN, describeSetting, settingOptions, toGroupSetting, toPicks, toSettingValue } from './setting-values.ts'

test('a permission offers the groups that the server allows', () => {
  const rule = {
    require_system_group: false,
    allow_internet_group: false,
    allow_nobody_group: true,
    allow_everyone_group: false,
    default_group_name: 'role:nobody',
    default_for_system_groups: null,
    allowed_system_groups: [],
  }
  const labels = (change: object = {}) => settingOptions(lists, { ...rule, ...change }).map(({ label }) => label)

  assert.deepEqual(labels(), ['Everyone except guests', 'Nobody', 'makers', 'Specific people and groups'])
  assert.deepEqual(labels({ allow_nobody_group: false, allowed_system_groups: ['role:owners'] }), [
    'makers',
    'Specific people and groups',
  ])
})

test('a setting is a group or specific users, and is described in words', () => {
  const chosen = { direct_members: [2], direct_subgroups: [12] }

  assert.deepEqual([toSettingValue(11), toSettingValue(chosen)], ['group:11', CHOSEN])
  assert.deepEqual(toPicks(lists, chosen), ['person:2', 'group:12'])
  assert.deepEqual([toPicks(lists, 11), toPicks(lists, 10)], [['group:11'], []])
  assert.deepEqual(toGroupSetting(lists, ['person:2', 'group:12']), chosen)
  assert.deepEqual([toGroupSetting(lists, ['group:12']), toGroupSetting(lists, [])], [12, 10])
  assert.deepEqual(toGroupSetting(lists, ['group:12', 'person:9', 'person:2', 'group:11']), {
    direct_members: [2, 9],
    direct_subgroups: [11, 12],
  })
  assert.equal(describeSetting(lists, chosen), 'Ben, makers')
  assert.equal(describeSetting(lists, 10), 'Nobody')
  assert.equal(describeSetting(lists, { direct_members: [], direct_subgroups: [] }), 'Nobody')
})
