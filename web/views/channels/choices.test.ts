import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressesOf, type Choice, labelOf, offeredOptions, peopleOf, picksOf } from './picks.ts'
import { offeredPrivacies, privacyOf, toChangedPrivacy, toNewPrivacy } from './privacy.ts'
import { CHOSEN, describeSetting, toChoices, toSetting, toValue, valueOptions } from './setting-values.ts'
import { wrongField } from './wrong-field.ts'

type Lists = Parameters<typeof offeredOptions>[0]

const person = (user_id: number, full_name: string, change: object = {}) => ({
  user_id,
  full_name,
  email: `user${user_id}@chat.example`,
  delivery_email: `${full_name.toLowerCase()}@example.com`,
  role: 400,
  is_bot: false,
  is_active: true,
  ...change,
})

const group = (id: number, name: string, members: number[], is_system_group = false) => ({
  id,
  name,
  members,
  direct_subgroup_ids: [],
  is_system_group,
})

const lists = {
  realm_users: [
    person(2, 'Ben'),
    person(1, 'Ada', { delivery_email: null, role: 100 }),
    person(3, 'Gone', { is_active: false }),
    person(4, 'Robot', { is_bot: true }),
  ],
  realm_user_groups: [
    group(10, 'role:nobody', [], true),
    group(11, 'role:members', [1, 2], true),
    group(12, 'makers', [2, 3]),
  ],
  subscriptions: [{ stream_id: 5, name: 'design', is_archived: false }],
  unsubscribed: [{ stream_id: 6, name: 'old', is_archived: true }],
  never_subscribed: [],
} as unknown as Lists

test('people who are there, groups and channels in use are offered, each kind by name', () => {
  const labels = (offered: Parameters<typeof offeredOptions>[1]) =>
    offeredOptions(lists, offered).map(({ label, hint }) => `${label}: ${hint}`)

  assert.deepEqual(labels({ groups: 'all', channels: true }), [
    'Ada: Owner',
    'Ben: ben@example.com',
    'Robot: Bot',
    'All members, but no guests: Group, 2 people',
    'makers: Group, 2 people',
    'design: Everybody in the channel',
  ])
  assert.deepEqual(labels({ groups: 'named', channels: false }).slice(3), ['makers: Group, 2 people'])
})

test('addresses are those of people in any case, or nobody’s', () => {
  const picks = picksOf(lists, ['BEN@example.com', 'user1@chat.example', 'gone@example.com'])

  assert.deepEqual(picks, ['person:2', 'person:1', 'unknown:gone@example.com'])
  assert.deepEqual(addressesOf(picks), ['gone@example.com'])
})

test('choices mean people, each once and those alone who are there', () => {
  assert.deepEqual(peopleOf(lists, ['person:1', 'group:12', 'channel:5', 'unknown:x@y'], [2, 4, 3]), [1, 2, 4])
})

test('choices are called by what they are, and what is gone is said to be', () => {
  const choices: Choice[] = [
    'person:2',
    'group:11',
    'channel:5',
    'unknown:x@y.z',
    'person:99',
    'channel:99',
    'group:99',
  ]

  assert.deepEqual(
    choices.map((choice) => labelOf(lists, choice)),
    ['Ben', 'All members, but no guests', 'design', 'x@y.z', 'No longer there', 'No longer there', 'No longer there'],
  )
})

test('a permission is offered to the groups that the server lets it be given to', () => {
  const rule = {
    require_system_group: false,
    allow_internet_group: false,
    allow_nobody_group: true,
    allow_everyone_group: false,
    default_group_name: 'role:nobody',
    default_for_system_groups: null,
    allowed_system_groups: [],
  }
  const labels = (change: object = {}) => valueOptions(lists, { ...rule, ...change }).map(({ label }) => label)

  assert.deepEqual(labels(), ['All members, but no guests', 'Nobody', 'makers', 'Certain people and groups'])
  assert.deepEqual(labels({ allow_nobody_group: false, allowed_system_groups: ['role:owners'] }), [
    'makers',
    'Certain people and groups',
  ])
})

test('a setting is a group or whomever one chose, and is told in words', () => {
  const chosen = { direct_members: [2], direct_subgroups: [12] }

  assert.deepEqual([toValue(11), toValue(chosen)], ['group:11', CHOSEN])
  assert.deepEqual(toChoices(lists, chosen), ['person:2', 'group:12'])
  assert.deepEqual([toChoices(lists, 11), toChoices(lists, 10)], [['group:11'], []])
  assert.deepEqual(toSetting(['person:2', 'group:12']), chosen)
  assert.equal(describeSetting(lists, chosen), 'Ben, makers')
  assert.equal(describeSetting(lists, 10), 'Nobody')
  assert.equal(describeSetting(lists, { direct_members: [], direct_subgroups: [] }), 'Nobody')
})

test('kinds of channels are offered as one may make them, and the present one always', () => {
  const [none, all] = [
    { public: false, private: false },
    { public: true, private: true },
  ]

  assert.deepEqual(offeredPrivacies(none), [])
  assert.deepEqual(offeredPrivacies(all), ['public', 'private-shared', 'private-protected'])
  assert.deepEqual(offeredPrivacies(none, 'public'), ['public'])
  assert.deepEqual(offeredPrivacies(none, 'private-shared'), ['private-shared', 'private-protected'])
  assert.deepEqual(offeredPrivacies({ ...all, private: false }, 'web'), ['web', 'public'])
})

test('a kind of channel is told to the server as it tells of it', () => {
  for (const privacy of ['public', 'private-shared', 'private-protected'] as const)
    assert.equal(privacyOf({ ...toNewPrivacy(privacy), is_web_public: false }), privacy)
  for (const privacy of ['web', 'public', 'private-shared', 'private-protected'] as const) {
    const { is_private, ...others } = toChangedPrivacy(privacy)
    assert.equal(privacyOf({ ...others, invite_only: is_private }), privacy)
  }
})

test('a refusal stands beside the field that it is about', () => {
  const fieldOf = (message: string) => Object.keys(wrongField(message))

  assert.deepEqual(fieldOf("Channel name can't be empty."), ['name'])
  assert.deepEqual(fieldOf('Invalid character in channel name, at position 1.'), ['name'])
  assert.deepEqual(fieldOf('Unable to access channel (board).'), ['name'])
  assert.deepEqual(fieldOf('description is too long (limit: 1024 characters)'), ['description'])
  assert.deepEqual(fieldOf('Insufficient permission'), [])
})
