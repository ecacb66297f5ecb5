import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Organization } from '../../store/organization.ts'
import { findWarnings } from './find-warnings.ts'
import { countOfWildcard, type RecipientFacts } from './warning.ts'

const EVERYONE = 1
const NOBODY = 2

const organization = {
  user_id: 10,
  realm_users: [
    { user_id: 10, full_name: 'Ada', role: 100 },
    { user_id: 11, full_name: 'Ben', role: 400 },
    { user_id: 12, full_name: 'Ben', role: 400 },
    { user_id: 13, full_name: 'Gus', role: 600 },
  ],
  realm_user_groups: [
    { id: EVERYONE, members: [10], direct_subgroup_ids: [] },
    { id: NOBODY, members: [], direct_subgroup_ids: [] },
  ],
  realm_can_mention_many_users_group: EVERYONE,
  realm_enable_guest_user_dm_warning: true,
  subscriptions: [{ stream_id: 5, name: 'design' }],
} as unknown as Organization

const facts = (change: Partial<RecipientFacts> = {}): RecipientFacts => ({
  organization,
  subscribers: new Set([10, 11]),
  topics: ['icons', '✔ logo'],
  mayAddPeople: true,
  ...change,
})

const inTopic = (topic: string) => ({ kind: 'channel', channelId: 5, topic }) as const
const textsOf = (...args: Parameters<typeof findWarnings>) => findWarnings(...args).map(({ text }) => text)

test('mentioned users who are not in the channel are named, unless the mention is silent', () => {
  const text = '@**Gus** @**Ben|12** @**Ben|11** @**Ada** @_**Gus**'

  assert.deepEqual(textsOf(text, inTopic('icons'), facts()), [
    'Gus isn’t in #design and won’t see this.',
    'Ben isn’t in #design and won’t see this.',
  ])
  assert.deepEqual(findWarnings('@_**Gus**', inTopic('icons'), facts()), [])
  assert.equal(findWarnings(text, inTopic('icons'), facts({ mayAddPeople: false }))[0]?.fix, undefined)
  assert.deepEqual(findWarnings(text, inTopic('icons'), facts({ subscribers: undefined })), [])
})

test('new and resolved topics are pointed out', () => {
  assert.deepEqual(textsOf('hello', inTopic('Icons'), facts()), [])
  assert.deepEqual(textsOf('hello', inTopic('sounds'), facts()), ['“sounds” is a new topic.'])
  assert.deepEqual(textsOf('hello', inTopic('sounds'), facts({ topics: undefined })), [])
  assert.equal(findWarnings('hello', inTopic('✔ logo'), facts())[0]?.fix?.action, 'unresolve')
})

test('a topic whose messages were moved is not called new, and names the new place', () => {
  const movedTo = { channelId: 5, channel: 'design', topic: 'icons' }
  const [warning, ...others] = findWarnings('hello', inTopic('signs'), facts({ movedTo }))

  assert.deepEqual(others, [])
  assert.equal(warning?.text, 'The messages of “signs” were moved to #design › icons.')
  assert.deepEqual(warning?.fix, { label: 'Write there', action: 'follow', channelId: 5, topic: 'icons' })
  assert.deepEqual(textsOf('hello', inTopic('icons'), facts({ movedTo })), [])
})

test('a wildcard that reaches many is a warning, and needs a permission', () => {
  const subscribers = new Set(Array.from({ length: 16 }, (_, at) => at))
  const without = { ...organization, realm_can_mention_many_users_group: NOBODY }

  assert.deepEqual(textsOf('@**all** look', inTopic('icons'), facts({ subscribers })), [
    'This message notifies all 16 people in #design.',
  ])
  assert.deepEqual(textsOf('@**all** look', inTopic('icons'), facts({ subscribers, organization: without })), [
    'You don’t have permission to notify all 16 people in #design.',
  ])
  assert.deepEqual(textsOf('@**all** look', inTopic('icons'), facts()), [])
  assert.equal(countOfWildcard('@**all** look', inTopic('icons'), 16), 16)
  assert.equal(countOfWildcard('@**all** look', inTopic('icons'), 15), null)
  assert.equal(countOfWildcard('nobody', inTopic('icons'), 16), null)
})

test('a message that is shown folded is pointed out', () => {
  const fold = ['Readers see the beginning of this message, and a button to show the rest.']

  assert.deepEqual(textsOf('line\n'.repeat(40), inTopic('icons'), facts()), fold)
  assert.deepEqual(textsOf('line\n'.repeat(39), inTopic('icons'), facts()), [])
  assert.deepEqual(textsOf('x'.repeat(4000), { kind: 'direct', people: [11] }, facts()), fold)
})

test('guests among the recipients of a direct message are named', () => {
  assert.deepEqual(textsOf('hello', { kind: 'direct', people: [11, 13] }, facts()), [
    'Gus is a guest in this organization.',
  ])
})
