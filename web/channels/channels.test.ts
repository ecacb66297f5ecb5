import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel, Subscription } from '../store/organization.ts'
import {
  type ChannelRules,
  mayAddPeople,
  mayAdminister,
  mayCreateChannels,
  mayJoin,
  mayMakeDefault,
  mayOpenChannel,
  mayRemovePeople,
} from './channel.ts'
import {
  type ChannelFilter,
  type ChannelOrder,
  type ListedChannel,
  matchesFilter,
  searchChannels,
  sortChannels,
} from './listing.ts'

const [NOBODY, MEMBERS, MAKERS] = [1, 2, 3]
const [ME, OTHER] = [10, 11]

const groups = [
  { id: NOBODY, members: [], direct_subgroup_ids: [] },
  { id: MEMBERS, members: [ME, OTHER], direct_subgroup_ids: [] },
  { id: MAKERS, members: [ME], direct_subgroup_ids: [] },
] as unknown as ChannelRules['realm_user_groups']

const me = (change: Partial<ChannelRules> = {}): ChannelRules => ({
  user_id: ME,
  is_admin: false,
  is_guest: false,
  realm_user_groups: groups,
  realm_can_add_subscribers_group: NOBODY,
  realm_can_create_private_channel_group: NOBODY,
  realm_can_create_public_channel_group: MEMBERS,
  realm_can_create_web_public_channel_group: MEMBERS,
  realm_enable_spectator_access: false,
  ...change,
})

const channel = (change: Partial<Channel> = {}): Channel =>
  ({
    stream_id: 1,
    name: 'design',
    description: '',
    is_archived: false,
    invite_only: false,
    stream_weekly_traffic: null,
    can_add_subscribers_group: NOBODY,
    can_administer_channel_group: { direct_members: [OTHER], direct_subgroups: [] },
    can_remove_subscribers_group: NOBODY,
    can_subscribe_group: NOBODY,
    ...change,
  }) as Channel

const admin = me({ is_admin: true })
const guest = me({ is_guest: true })
const closed = channel({ invite_only: true })

test('members can join public channels, and private ones only by their settings', () => {
  assert.equal(mayJoin(me(), channel()), true)
  assert.equal(mayJoin(guest, channel()), false)
  assert.equal(mayJoin(me(), closed), false)
  assert.equal(mayJoin(admin, closed), false)
  assert.equal(mayJoin(me(), { ...closed, can_subscribe_group: MAKERS }), true)
  assert.equal(mayJoin(me(), { ...closed, can_add_subscribers_group: MAKERS }), true)
  assert.equal(mayJoin(guest, { ...closed, can_subscribe_group: MAKERS }), false)
})

test("administrators and users named by the channel's setting can administer it", () => {
  const ours = channel({ can_administer_channel_group: { direct_members: [], direct_subgroups: [MAKERS] } })

  assert.deepEqual(
    [admin, me(), guest].map((scope) => mayAdminister(scope, channel())),
    [true, false, false],
  )
  assert.deepEqual(
    [me(), guest].map((scope) => mayAdminister(scope, ours)),
    [true, false],
  )
})

test('users can add subscribers by an organization or channel setting if they can read the channel; guests never can', () => {
  const organizer = me({ realm_can_add_subscribers_group: MEMBERS })

  assert.equal(mayAddPeople(me(), channel(), true), false)
  assert.equal(mayAddPeople(organizer, channel(), false), true)
  assert.equal(mayAddPeople(organizer, closed, false), false)
  assert.equal(mayAddPeople(organizer, closed, true), true)
  assert.equal(mayAddPeople(admin, closed, false), false)
  assert.equal(mayAddPeople(admin, closed, true), true)
  assert.equal(mayAddPeople(me(), channel({ can_add_subscribers_group: MAKERS }), false), true)
  assert.equal(mayAddPeople({ ...organizer, is_guest: true }, channel(), true), false)
})

test('subscribers are removed by users who administer the channel, or whom its setting names', () => {
  assert.equal(mayRemovePeople(me(), channel(), false), false)
  assert.equal(mayRemovePeople(admin, closed, false), true)
  assert.equal(mayRemovePeople(me(), channel({ can_remove_subscribers_group: MAKERS }), false), true)
  assert.equal(mayRemovePeople(guest, channel({ can_remove_subscribers_group: MAKERS }), false), false)
})

test('organization settings decide which channels users can create, administrators included', () => {
  assert.deepEqual(mayCreateChannels(me()), { web: false, public: true, private: false })
  assert.equal(mayCreateChannels(me({ realm_enable_spectator_access: true })).web, true)
  assert.deepEqual(mayCreateChannels(guest), { web: false, public: false, private: false })
  assert.deepEqual(mayCreateChannels(me({ is_admin: true, realm_can_create_public_channel_group: NOBODY })), {
    web: false,
    public: false,
    private: false,
  })
})

test('only users with access to a private channel can give others access', () => {
  assert.equal(mayOpenChannel(admin, closed, false), false)
  assert.equal(mayOpenChannel(admin, closed, true), true)
  assert.equal(mayOpenChannel(admin, channel(), false), true)
  assert.equal(mayOpenChannel(me(), channel(), true), false)
})

test('administrators can make active public channels default channels', () => {
  assert.equal(mayMakeDefault(admin, channel()), true)
  assert.equal(mayMakeDefault(me(), channel()), false)
  assert.equal(mayMakeDefault(admin, closed), false)
  assert.equal(mayMakeDefault(admin, channel({ is_archived: true })), false)
})

test('each list shows its own channels, archived ones only in theirs', () => {
  const all: ListedChannel[] = [
    { channel: channel(), subscription: channel() as Subscription },
    { channel: channel({ stream_id: 2 }), subscription: null },
    { channel: channel({ stream_id: 3, invite_only: true }), subscription: null },
    { channel: channel({ stream_id: 4, is_archived: true }), subscription: channel() as Subscription },
  ]
  const shown = (which: ChannelFilter) =>
    all.filter((one) => matchesFilter(me(), one, which)).map(({ channel }) => channel.stream_id)

  assert.deepEqual(shown('subscribed'), [1])
  assert.deepEqual(shown('available'), [2])
  assert.deepEqual(shown('all'), [1, 2, 3])
  assert.deepEqual(shown('archived'), [4])
})

test('search matches the start of words in names and descriptions', () => {
  const all = ['design', 'web-design', 'sales'].map((name, at) => ({
    channel: channel({ name, description: at === 2 ? 'Offers, designed to win' : 'Über alles' }),
    subscription: null,
  }))
  const found = (text: string) => searchChannels(all, text).map(({ channel }) => channel.name)

  assert.deepEqual(found(' DESIGN '), ['design', 'web-design', 'sales'])
  assert.deepEqual(found('eb-d'), ['web-design'])
  assert.deepEqual(found('win offers'), ['sales'])
  assert.deepEqual(found('über'), ['design', 'web-design'])
  assert.deepEqual(found('ffers'), [])
  assert.deepEqual(found(''), ['design', 'web-design', 'sales'])
})

test('channels are sorted by name in natural order, by traffic, by subscribers, or newest first', () => {
  const of = (name: string, stream_weekly_traffic: number | null, id: number) => ({
    channel: channel({ name, stream_weekly_traffic, stream_id: id, date_created: id % 3 }),
    subscription: null,
  })
  const all = [of('team 10', 5, 1), of('Team 2', null, 2), of('ärger', 40, 3), of('zoo', 5, 4)]
  const counts = new Map([
    [2, 7],
    [4, 9],
  ])
  const names = (order: ChannelOrder) => sortChannels(all, order, counts).map(({ channel }) => channel.name)

  assert.deepEqual(names('name'), ['ärger', 'Team 2', 'team 10', 'zoo'])
  assert.deepEqual(names('traffic'), ['ärger', 'team 10', 'zoo', 'Team 2'])
  assert.deepEqual(names('people'), ['zoo', 'Team 2', 'ärger', 'team 10'])
  assert.deepEqual(names('newest'), ['Team 2', 'team 10', 'zoo', 'ärger'])
})
