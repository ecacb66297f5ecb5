import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { invite, recipients } from '../../test/inviting.ts'

const DAY = 86_400

test("a member's invitation succeeds with an empty response, and sends exactly one email to that address", async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const response = await invite(alice, 'new@x.com')

  assert.deepEqual(response, { status: 200, result: 'success', msg: '' })
  assert.deepEqual(await recipients(chat), ['new@x.com'])
})

test('parameters are checked in their order, before any permission', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const gus = await chat.user('gus', { role: Role.guest })
  const bot = await chat.user('bot', { botType: 1, owner: alice })
  const call = async (person: Person, params: Record<string, unknown>) =>
    (await person.call('POST /invites', params)).msg

  assert.equal(await call(gus, {}), 'Not allowed for guest users')
  assert.equal(await call(bot, {}), 'This endpoint does not accept bot requests.')
  assert.equal(await call(alice, { invitee_emails: 'a@x.com' }), "Missing 'stream_ids' argument")
  assert.equal(await call(alice, { stream_ids: [] }), "Missing 'invitee_emails' argument")
  const complaints = {
    'group_ids is not a list': { group_ids: null },
    'invite_expires_in_minutes is not valid JSON': { invite_expires_in_minutes: 'soon' },
    'invite_expires_in_minutes is not an integer': { invite_expires_in_minutes: 1.5 },
    'Invalid invite_as: Value error, Not in the list of possible values': { invite_as: 500 },
    'invite_as is not an integer': { invite_as: '"400"' },
    'stream_ids is not a list': { stream_ids: '{}' },
    'stream_ids[1] is not an integer': { stream_ids: '[1,"2"]' },
    'invite_expires_in_minutes is too large': { invite_expires_in_minutes: '123456789012345678901234567890' },
    'notify_referrer_on_join is not valid JSON': { notify_referrer_on_join: 'True' },
  }
  for (const [complaint, params] of Object.entries(complaints))
    assert.equal((await invite(alice, 'a@x.com', params)).msg, complaint)
  assert.equal((await invite(alice, 'a@x.com', { group_ids: [] })).status, 200)
})

test('a success lists ignored parameters, an error does not', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  const failed = await invite(alice, 'noatsign', { zeal: '1' })
  const sent = await invite(alice, 'new@x.com', { zeal: '1', client: 'test' })

  assert.equal('ignored_parameters_unsupported' in failed, false)
  assert.deepEqual(sent['ignored_parameters_unsupported'], ['zeal'])
})

test('the lifetime is at least a minute, and dates must be representable', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  for (const minutes of [0, -5, 10 ** 12]) {
    const response = await invite(alice, 'new@x.com', { invite_expires_in_minutes: minutes })

    assert.deepEqual([response.status, response.code], [400, 'BAD_REQUEST'])
  }
  assert.equal((await invite(alice, 'new@x.com', { invite_expires_in_minutes: '9'.repeat(40) })).status, 400)
  assert.deepEqual(await recipients(chat), [])
  assert.equal((await invite(alice, 'new@x.com', { invite_expires_in_minutes: 4_000_000_000 })).status, 200)
})

test('only the users named by the permission can invite; owners have no bypass', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const carol = await chat.user('carol')
  await chat.change({ can_invite_users_group: { direct_members: [carol.id], direct_subgroups: [] } })

  const byOwner = await invite(ada, 'a@x.com')
  const byCarol = await invite(carol, 'a@x.com')

  assert.deepEqual([byOwner.code, byOwner.msg], ['BAD_REQUEST', 'Insufficient permission'])
  assert.equal(byCarol.status, 200)
})

test('the permission can be limited to full members', async () => {
  const chat = await startChat()
  const now = chat.clock.now()
  const fresh = await chat.user('fresh', { joinedAt: now - 9 * DAY })
  const seasoned = await chat.user('seasoned', { joinedAt: now - 11 * DAY })
  await chat.change({ can_invite_users_group: 'role:fullmembers', waiting_period_threshold: 10 })

  assert.equal((await invite(fresh, 'a@x.com')).msg, 'Insufficient permission')
  assert.equal((await invite(seasoned, 'a@x.com')).status, 200)
})

test('users invite to their own role and lower ones', async () => {
  const chat = await startChat()
  const people = {
    100: await chat.user('owner', { role: Role.owner }),
    200: await chat.user('admin', { role: Role.administrator }),
    300: await chat.user('mod', { role: Role.moderator }),
    400: await chat.user('member'),
  }
  const refusals = {
    100: ['UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner'],
    200: ['BAD_REQUEST', 'Must be an organization administrator'],
    300: ['BAD_REQUEST', 'Must be an organization moderator'],
  }

  for (const [rank, person] of Object.entries(people)) {
    for (const role of [100, 200, 300, 400, 600]) {
      const response = await invite(person, `to${role}by${rank}@x.com`, { invite_as: role })

      const mayInvite = Number(rank) <= role
      const expected = mayInvite ? [200, undefined, ''] : [400, ...refusals[role as keyof typeof refusals]]
      assert.deepEqual([response.status, response.code, response.msg], expected, `${rank} invites as ${role}`)
    }
  }
})

test('missing, archived, foreign and unreadable channels are refused with the same error', async () => {
  const chat = await startChat()
  const admin = await chat.user('admin', { role: Role.administrator })
  const alice = await chat.user('alice')
  const open = await chat.channel('open', [])
  const secret = await chat.channel('secret', [alice], { isPrivate: true })
  const archived = await chat.channel('archived', [alice])
  await admin.succeed(`DELETE /streams/${archived.id}`)
  const elsewhere = await chat.channel('elsewhere', [], { realm: await chat.organization('other') })

  for (const id of [999_999, secret.id, archived.id, elsewhere.id]) {
    const response = await invite(admin, 'a@x.com', { stream_ids: [open.id, id] })

    assert.deepEqual([response.code, response.msg], ['BAD_REQUEST', `Invalid channel ID ${id}. No invites were sent.`])
  }
  assert.deepEqual(await recipients(chat), [])
})

test('only users who may add subscribers can grant channels, except default channels', async () => {
  const chat = await startChat()
  const admin = await chat.user('admin', { role: Role.administrator })
  const alice = await chat.user('alice')
  const pub = await chat.channel('pub', [alice])
  const own = await chat.channel('own', [alice], {
    settings: { can_add_subscribers_group: { direct_members: [alice.id], direct_subgroups: [] } },
  })
  const everyones = await chat.channel('default', [])
  await admin.succeed('POST /default_streams', { stream_id: everyones.id })
  await chat.change({ can_add_subscribers_group: 'role:administrators' })

  const refused = await invite(alice, 'a@x.com', { stream_ids: [own.id, pub.id] })
  const given = await invite(alice, 'b@x.com', { stream_ids: [own.id, everyones.id, own.id] })
  const byAdmin = await invite(admin, 'c@x.com', { stream_ids: [pub.id] })
  const defaults = await invite(alice, 'd@x.com', { include_realm_default_subscriptions: true })

  assert.equal(refused.msg, 'You do not have permission to subscribe other users to channels.')
  assert.deepEqual(
    [given, byAdmin, defaults].map(({ status }) => status),
    [200, 200, 200],
  )
  assert.deepEqual(await recipients(chat), ['b@x.com', 'c@x.com', 'd@x.com'])
})

test('only users who may add members can grant groups; role-based groups cannot be granted', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  const created = await alice.succeed('POST /user_groups/create', { name: 'friends', description: '', members: [] })
  const friends = created['group_id'] as number
  const dissolved = (await alice.succeed('POST /user_groups/create', { name: 'old', description: '', members: [] }))[
    'group_id'
  ]
  await alice.succeed(`POST /user_groups/${dissolved}/deactivate`)
  const listed = await ada.succeed('GET /user_groups')
  const members = listed['user_groups'].find((group: { name: string }) => group.name === 'role:members').id
  const bob = await chat.user('bob')

  const attempts = {
    unknown: (await invite(ada, 'a@x.com', { group_ids: [999_999] })).msg,
    deactivated: (await invite(ada, 'a@x.com', { group_ids: [dissolved] })).msg,
    role: (await invite(ada, 'a@x.com', { group_ids: [members] })).msg,
    foreign: (await invite(bob, 'a@x.com', { group_ids: [friends] })).msg,
    own: (await invite(alice, 'a@x.com', { group_ids: [friends] })).msg,
    owner: (await invite(ada, 'b@x.com', { group_ids: [friends] })).msg,
  }

  assert.deepEqual(attempts, {
    unknown: 'Invalid user group',
    deactivated: 'User group is deactivated.',
    role: 'Insufficient permission',
    foreign: 'Insufficient permission',
    own: '',
    owner: '',
  })
})

test('administrators and the inviter receive an event about new invitations, no one else does', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  const bob = await chat.user('bob')

  await invite(alice, 'new@x.com')
  await invite(alice, 'noatsign')

  const received = { ada: await chat.eventsOf(ada), alice: await chat.eventsOf(alice), bob: await chat.eventsOf(bob) }
  assert.deepEqual(received, { ada: [{ type: 'invites_changed' }], alice: [{ type: 'invites_changed' }], bob: [] })
})
