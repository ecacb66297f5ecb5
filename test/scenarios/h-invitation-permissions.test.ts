import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { startServer } from './server.ts'
import type { Person, World } from './world.ts'

const server = await startServer()

const NOT_PERMITTED = 'Insufficient permission'

const invite = (person: Person, params: object = {}) =>
  person.call('POST /invites', { invitee_emails: 'new@x.com', stream_ids: [], ...params })

const nobodyWasWrittenTo = async () => assert.deepEqual(await server.mail(), [])

const groupOf = (...people: readonly Person[]) => ({
  direct_members: people.map(({ id }) => id),
  direct_subgroups: [],
})

test('members and higher roles can invite; guests and bots cannot', async () => {
  const { owner, admin, moderator, alice, guest, alicebot } = await server.world()

  for (const person of [owner, admin, moderator, alice]) assert.equal((await invite(person)).status, 200)
  refused(await invite(guest), 'Not allowed for guest users')
  refused(await invite(alicebot), 'This endpoint does not accept bot requests.')
})

test('104: if a custom group may invite, users outside it cannot, whatever their role', async () => {
  const world = await server.world()
  const group = await world.createGroup('greeters', [world.carol])
  await world.changeSettings({ can_invite_users_group: group })

  for (const person of [world.admin, world.owner, world.alice]) refused(await invite(person), NOT_PERMITTED)
  await nobodyWasWrittenTo()
  assert.equal((await invite(world.carol)).status, 200)
})

test('104: the permission can be an anonymous group, and members of its subgroups can invite too', async () => {
  const world = await server.world()
  const inner = await world.createGroup('inner', [world.bob])
  await world.changeSettings({
    can_invite_users_group: { direct_members: [world.carol.id], direct_subgroups: [inner] },
  })

  for (const person of [world.bob, world.carol]) assert.equal((await invite(person)).status, 200)
  refused(await invite(world.alice), NOT_PERMITTED)
})

test('104: if the setting lets no user invite, not even owners can', async () => {
  const world = await server.world({ settings: { can_invite_users_group: 'role:nobody' } })

  for (const person of [world.owner, world.admin, world.alice]) refused(await invite(person), NOT_PERMITTED)
})

test('105: if full members may invite, the waiting period applies', async () => {
  const world = await server.world({
    settings: { can_invite_users_group: 'role:fullmembers', waiting_period_threshold: 10 },
  })
  const joined = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  await world.changeUser(world.bob, { date_joined: joined(9) })
  await world.changeUser(world.carol, { date_joined: joined(11) })
  await world.changeUser(world.moderator, { date_joined: joined(1) })

  refused(await invite(world.bob), NOT_PERMITTED)
  for (const person of [world.carol, world.moderator]) assert.equal((await invite(person)).status, 200)

  await server.advance(2 * 86_400)
  assert.equal((await invite(world.bob)).status, 200)
})

const ROLES = [100, 200, 300, 400, 600]
const REFUSALS: Record<number, [string, string?]> = {
  100: ['Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL'],
  200: ['Must be an organization administrator'],
  300: ['Must be an organization moderator'],
}

for (const [name, highest] of Object.entries({ owner: 100, admin: 200, moderator: 300, alice: 400 }))
  test(`106, 107: ${name} can invite as ${highest} and below`, async () => {
    const person = (await server.world())[name as 'alice']

    for (const role of ROLES) {
      const answer = await invite(person, { invitee_emails: `to${role}@x.com`, invite_as: role })
      const [msg, code] = REFUSALS[role] ?? []
      if (role >= highest) assert.equal(answer.status, 200, `${role}: ${answer.text}`)
      else refused(answer, String(msg), code === undefined ? {} : { code })
    }

    assert.equal((await server.mail()).length, ROLES.filter((role) => role >= highest).length)
  })

test('106: an unknown role is refused', async () => {
  const { owner } = await server.world()

  for (const role of [0, 150, 700, -1, 401])
    refused(
      await invite(owner, { invite_as: role }),
      'Invalid invite_as: Value error, Not in the list of possible values',
    )
  refused(await invite(owner, { invite_as: 'member' }), 'invite_as is not valid JSON')
  await nobodyWasWrittenTo()
})

test('the role is checked before the addresses, these before the channels, and those before the groups', async () => {
  const { alice } = await server.world()
  const wrong = { invite_as: 200, invitee_emails: '', stream_ids: [999_999], group_ids: [999_999] }

  refused(await invite(alice, wrong), 'Must be an organization administrator')
  refused(await invite(alice, { ...wrong, invite_as: 400 }), 'You must specify at least one email address.')
  const addressed = { ...wrong, invite_as: 400, invitee_emails: 'noatsign' }
  refused(await invite(alice, addressed), 'Invalid channel ID 999999. No invites were sent.')
  refused(await invite(alice, { ...addressed, stream_ids: [] }), 'Invalid user group')
})

test('108, 109: a channel must exist, be active and be readable by the inviter', async () => {
  const [{ alice, bob, admin, channels }, other] = [await server.world(), await server.world()]
  const invalid = async (person: Person, ids: number[], id: number) =>
    refused(await invite(person, { stream_ids: ids }), `Invalid channel ID ${id}. No invites were sent.`)

  await invalid(alice, [999_999], 999_999)
  await invalid(alice, [channels.pub, -1, 999_999], -1)
  await invalid(alice, [channels.archived], channels.archived)
  await invalid(alice, [other.channels.pub], other.channels.pub)
  await invalid(bob, [channels.pub, channels.shared], channels.shared)
  await invalid(admin, [channels.protected], channels.protected)
  await nobodyWasWrittenTo()
  assert.equal((await invite(alice, { stream_ids: [channels.shared, channels.pub, channels.pub] })).status, 200)
})

test('stream_ids is a list of integers', async () => {
  const { alice } = await server.world()

  refused(await invite(alice, { stream_ids: 'pub' }), 'stream_ids is not valid JSON')
  refused(await invite(alice, { stream_ids: '"pub"' }), 'stream_ids is not a list')
  refused(await invite(alice, { stream_ids: ['pub'] }), 'stream_ids[0] is not an integer')
  refused(await invite(alice, { stream_ids: '1' }), 'stream_ids is not a list')
})

test('110, 111: if only administrators may add subscribers, others can grant default channels only', async () => {
  const world = await server.world({ settings: { can_add_subscribers_group: 'role:administrators' } })
  const { alice, admin, channels } = world
  const refusedFor = async (...stream_ids: number[]) =>
    refused(await invite(alice, { stream_ids }), 'You do not have permission to subscribe other users to channels.')

  await refusedFor(channels.pub)
  await refusedFor(channels.def1, channels.pub)
  await nobodyWasWrittenTo()
  for (const stream_ids of [[], [channels.def1]]) assert.equal((await invite(alice, { stream_ids })).status, 200)
  assert.equal((await invite(alice, { include_realm_default_subscriptions: true })).status, 200)
  assert.equal((await invite(admin, { stream_ids: [channels.pub] })).status, 200)
})

for (const setting of ['can_add_subscribers_group', 'can_administer_channel_group'])
  test(`110: users in ${setting} of a channel can grant it`, async () => {
    const world = await server.world({ settings: { can_add_subscribers_group: 'role:administrators' } })
    const { owner, bob, channels } = world

    await owner.succeed(`PATCH /streams/${channels.pub}`, { [setting]: { new: groupOf(bob) } })

    assert.equal((await invite(bob, { stream_ids: [channels.pub] })).status, 200)
  })

test('112, 113: a group must exist, be active, not be role-based, and be manageable by the inviter', async () => {
  const [world, other] = [await server.world(), await server.world()]
  const { owner, alice } = world
  const [group, ended] = [await world.createGroup('friends', [alice]), await world.createGroup('gone', [])]
  await owner.succeed(`POST /user_groups/${ended}/deactivate`)
  const foreign = await other.createGroup('foreign', [])
  const answer = (person: Person, ...group_ids: number[]) => invite(person, { group_ids })

  refused(await answer(owner, await world.systemGroup('role:members')), NOT_PERMITTED)
  refused(await answer(owner, await world.systemGroup('role:owners')), NOT_PERMITTED)
  refused(await answer(owner, group, ended), 'User group is deactivated.')
  refused(await answer(owner, 999_999), 'Invalid user group')
  refused(await answer(owner, foreign), 'Invalid user group')
  refused(await answer(alice, group), NOT_PERMITTED)
  await nobodyWasWrittenTo()
  assert.equal((await answer(owner, group)).status, 200)
})

for (const setting of ['can_manage_group', 'can_add_members_group'])
  test(`112: users in ${setting} of a group can grant it`, async () => {
    const world: World = await server.world()
    const group = await world.createGroup('friends', [], { [setting]: groupOf(world.alice) })

    assert.equal((await invite(world.alice, { group_ids: [group] })).status, 200)
    refused(await invite(world.bob, { group_ids: [group] }), NOT_PERMITTED)
  })

test('in an organization open to everyone, accounts younger than three days cannot invite', async () => {
  const world = await server.world({ settings: { invite_required: false } })
  const young = {
    date_joined: new Date(((await server.testing('GET /testing/clock')).now - 2 * 86_400) * 1000).toISOString(),
  }
  await world.changeUser(world.bob, young)
  await world.changeUser(world.admin, young)

  const { status, body } = await invite(world.bob, { invitee_emails: 'noatsign' })

  assert.deepEqual([status, body.code, body.errors], [400, 'INVITATION_FAILED', []])
  assert.match(body.msg, /^Your account is too new to send invites for this organization\./)
  assert.deepEqual([body.sent_invitations, body.daily_limit_reached, body.license_limit_reached], [false, false, false])
  for (const person of [world.admin, world.alice]) assert.equal((await invite(person)).status, 200)
})
