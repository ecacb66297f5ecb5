import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemGroupNames } from '#realms/realm-settings.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import type { GroupJson } from './group.ts'

async function groupsSeenBy(person: Person, params: Record<string, unknown> = {}): Promise<GroupJson[]> {
  return (await person.succeed('GET /user_groups', params))['user_groups']
}

async function findGroup(person: Person, name: string): Promise<GroupJson> {
  const group = (await groupsSeenBy(person, { include_deactivated_groups: true })).find((one) => one.name === name)
  assert(group, `no group ${name}`)
  return group
}

async function createGroup(person: Person, name: string, params: Record<string, unknown> = {}): Promise<number> {
  const created = await person.succeed('POST /user_groups/create', { name, description: '', members: [], ...params })
  return created['group_id']
}

const groupEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'user_group')

test('membership of system groups is determined by role', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ann = await chat.user('ann', { role: Role.administrator })
  const mia = await chat.user('mia', { role: Role.moderator })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })

  const groups = await groupsSeenBy(ben)

  assert.deepEqual(
    groups.map(({ name, members }) => [name, members]),
    [
      ['role:internet', []],
      ['role:owners', [ada.id]],
      ['role:administrators', [ann.id]],
      ['role:moderators', [mia.id]],
      ['role:fullmembers', [ben.id]],
      ['role:members', [ben.id]],
      ['role:everyone', [gus.id]],
      ['role:nobody', []],
    ],
  )
  assert(groups.every((group) => group.is_system_group && group.creator_id === null && !group.deactivated))
})

test('new users become full members after the waiting period', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const newUser = await chat.user('cleo', { joinedAt: chat.clock.now() })
  await chat.change({ waiting_period_threshold: 3 })

  const atFirst = await findGroup(ben, 'role:fullmembers')
  await chat.clock.advance(3 * 86_400)
  const later = await findGroup(ben, 'role:fullmembers')

  assert.deepEqual(atFirst.members, [ben.id])
  assert.deepEqual(later.members, [ben.id, newUser.id])
})

test('a group is created with members, subgroups and settings, and emitted to everyone', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const friends = await createGroup(ben, 'friends')
  const moderators = (await findGroup(ben, 'role:moderators')).id
  const everyone = (await findGroup(ben, 'role:everyone')).id
  const nobody = (await findGroup(ben, 'role:nobody')).id

  const id = await createGroup(ben, ' Design ', {
    description: 'Our designers',
    members: [ada.id, ben.id, ben.id],
    subgroups: [friends],
    can_mention_group: { direct_members: [ben.id], direct_subgroups: [friends] },
    can_join_group: moderators,
  })

  const expected = {
    id,
    name: 'Design',
    description: 'Our designers',
    date_created: Math.floor(chat.clock.now()),
    creator_id: ben.id,
    members: [ada.id, ben.id],
    direct_subgroup_ids: [friends],
    is_system_group: false,
    deactivated: false,
    can_add_members_group: { direct_members: [ben.id], direct_subgroups: [] },
    can_join_group: moderators,
    can_leave_group: everyone,
    can_manage_group: { direct_members: [ben.id], direct_subgroups: [] },
    can_mention_group: { direct_members: [ben.id], direct_subgroups: [friends] },
    can_remove_members_group: nobody,
  }
  assert.deepEqual(await findGroup(ada, 'Design'), expected)
  assert.deepEqual((await groupEvents(chat, ada)).at(-1), { type: 'user_group', op: 'add', group: expected })
})

test('a setting decides who can create groups; guests and bots never can', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const bot = await chat.user('bot', { botType: 1, owner: ben })
  await chat.change({ can_create_groups: { direct_members: [ben.id, gus.id, bot.id], direct_subgroups: [] } })
  const create = (person: Person, name: string) =>
    person.call('POST /user_groups/create', { name, description: '', members: [] })

  const byBen = await create(ben, 'bens')
  const byOwner = await create(ada, 'adas')
  const byGuest = await create(gus, 'guests')
  const byBot = await create(bot, 'bots')

  assert.equal(byBen.result, 'success')
  assert.equal(byOwner.msg, 'Insufficient permission')
  assert.equal(byGuest.msg, 'Not allowed for guest users')
  assert.equal(byBot.msg, 'This endpoint does not accept bot requests.')
})

test('invalid group names are refused', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await createGroup(ben, 'Design')
  const refusals = {
    ' ': "User group name can't be empty!",
    ['x'.repeat(101)]: 'User group name cannot exceed 100 characters.',
    '@design': "User group name cannot start with '@'.",
    'role:owners': "User group name cannot start with 'role:'.",
    'user:1': "User group name cannot start with 'user:'.",
    'stream:1': "User group name cannot start with 'stream:'.",
    'channel:1': "User group name cannot start with 'channel:'.",
    'two\nlines': 'Invalid characters in user group name.',
    design: "User group 'design' already exists.",
  }

  for (const [name, msg] of Object.entries(refusals)) {
    const refused = await ben.call('POST /user_groups/create', { name, description: '', members: [] })
    assert.deepEqual([refused.status, refused.code, refused.msg], [400, 'BAD_REQUEST', msg])
  }
  await createGroup(ben, '😀'.repeat(100))
})

test('members must have an active account of the organization, and subgroups must be active', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const outsider = await chat.user('eve', { realm: await chat.organization('other') })
  const create = (params: Record<string, unknown>) =>
    ben.call('POST /user_groups/create', { name: 'x', description: '', members: [], ...params })
  const old = await createGroup(ben, 'old')
  await ben.succeed(`POST /user_groups/${old}/deactivate`)
  const foreign = (await findGroup(outsider, 'role:members')).id

  const withOutsider = await create({ members: [outsider.id] })
  const withOld = await create({ subgroups: [old] })
  const withForeign = await create({ subgroups: [foreign] })
  const managedByOld = await create({ can_manage_group: old })
  const managedByEveryone = await create({ can_manage_group: (await findGroup(ben, 'role:everyone')).id })

  assert.equal(withOutsider.msg, `Invalid user ID: ${outsider.id}`)
  assert.equal(withOld.msg, 'User group is deactivated.')
  assert.equal(withForeign.msg, 'Invalid user group')
  assert.equal(managedByOld.msg, 'User group is deactivated.')
  assert.equal(managedByEveryone.msg, "'can_manage_group' setting cannot be set to 'role:everyone' group.")
  assert.deepEqual(await groupsSeenBy(ben), await groupsSeenBy(ben, { include_deactivated_groups: false }))
  assert.equal((await groupsSeenBy(ben)).length, systemGroupNames.length)
})

test('users who may manage a group can change it, and only the differences are emitted', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const id = await createGroup(ben, 'design', {
    description: 'old',
    can_manage_group: { direct_members: [cleo.id], direct_subgroups: [] },
  })
  const members = (await findGroup(ben, 'role:members')).id

  const byOther = await ben.call(`PATCH /user_groups/${id}`, { name: 'mine' })
  await cleo.succeed(`PATCH /user_groups/${id}`, {
    name: 'Design',
    description: 'old',
    can_join_group: { new: members },
  })
  const withoutChange = await cleo.call(`PATCH /user_groups/${id}`)
  await cleo.succeed(`PATCH /user_groups/${id}`, { name: 'Design' })

  assert.equal(byOther.msg, 'Insufficient permission')
  assert.equal(withoutChange.msg, 'No new data supplied')
  assert.partialDeepStrictEqual(await findGroup(ben, 'Design'), { id, can_join_group: members })
  assert.deepEqual((await groupEvents(chat, ben)).slice(1), [
    { type: 'user_group', op: 'update', group_id: id, data: { name: 'Design', can_join_group: members } },
  ])
})

test('a change of a setting is refused if its old value is outdated', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const id = await createGroup(ben, 'design')
  const nobody = (await findGroup(ben, 'role:nobody')).id
  const members = (await findGroup(ben, 'role:members')).id
  const change = (update: object) => ben.call(`PATCH /user_groups/${id}`, { can_join_group: update })

  const stale = await change({ new: members, old: members })
  const fresh = await change({ new: members, old: nobody })

  assert.deepEqual(
    [stale.status, stale.code, stale.msg],
    [400, 'EXPECTATION_MISMATCH', "'old' value does not match the expected value."],
  )
  assert.equal(fresh.result, 'success')
})

test('users who may manage all groups can change every group except system groups', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ann = await chat.user('ann', { role: Role.administrator })
  const ben = await chat.user('ben')
  const id = await createGroup(ben, 'design')
  const owners = (await findGroup(ben, 'role:owners')).id

  const byOwner = await ada.call(`PATCH /user_groups/${id}`, { description: 'new' })
  const byAdministrator = await ann.call(`PATCH /user_groups/${id}`, { description: 'newer' })
  const systemGroupAnswer = await ada.call(`PATCH /user_groups/${owners}`, { description: 'us' })
  const missingGroupAnswer = await ada.call('PATCH /user_groups/999', { description: 'us' })

  assert.equal(byOwner.result, 'success')
  assert.equal(byAdministrator.msg, 'Insufficient permission')
  assert.equal(systemGroupAnswer.msg, 'Insufficient permission')
  assert.equal(missingGroupAnswer.msg, 'Invalid user group')
})

test('a group that is in use cannot be deactivated, and the objections list its uses', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const id = await createGroup(ada, 'design', {})
  await ada.succeed(`PATCH /user_groups/${id}`, { can_manage_group: { new: id } })
  const parent = await createGroup(ada, 'parent', { subgroups: [id], can_join_group: id })
  const alone = { direct_members: [ada.id], direct_subgroups: [id] }
  const channel = await chat.channel('pub', [], { settings: { can_send_message_group: alone } })
  await chat.channel('gone', [], { settings: { can_send_message_group: id } })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('channels').set({ archivedAt: tx.now }).where('name', '=', 'gone').execute(),
  )
  await chat.change({ can_invite_users_group: id })

  const refused = await ada.call(`POST /user_groups/${id}/deactivate`)

  assert.deepEqual(refused, {
    status: 400,
    result: 'error',
    msg: 'Cannot deactivate user group in use.',
    objections: [
      { type: 'subgroup', supergroup_ids: [parent] },
      { type: 'channel', channel_id: channel.id, settings: ['can_send_message_group'] },
      { type: 'user_group', group_id: parent, settings: ['can_join_group'] },
      { type: 'realm', settings: ['can_invite_users_group'] },
    ],
    code: 'CANNOT_DEACTIVATE_GROUP_IN_USE',
  })
})

test('a deactivated group is hidden and frees its name until it is reactivated', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const id = await createGroup(ben, 'design', { members: [ben.id] })
  await ben.succeed(`POST /user_groups/${id}/deactivate`)

  const again = await ben.call(`POST /user_groups/${id}/deactivate`)
  const renamed = await ben.call(`PATCH /user_groups/${id}`, { name: 'other' })
  const listed = await groupsSeenBy(ben)
  const members = await Promise.all(
    ['members', `members/${ben.id}`, 'subgroups'].map((part) => ben.call(`GET /user_groups/${id}/${part}`)),
  )
  const other = await createGroup(ben, 'Design')
  const taken = await ben.call(`PATCH /user_groups/${id}`, { deactivated: false })
  await ben.succeed(`POST /user_groups/${other}/deactivate`)
  await ben.succeed(`PATCH /user_groups/${id}`, { deactivated: false })

  assert.equal(again.msg, 'User group is deactivated.')
  assert.equal(renamed.msg, 'User group is deactivated.')
  for (const { msg } of members) assert.equal(msg, 'User group is deactivated.')
  assert(!listed.some((group) => group.id === id))
  assert.equal(taken.msg, "User group 'design' already exists.")
  assert.partialDeepStrictEqual(await findGroup(ben, 'design'), { id, deactivated: false, members: [ben.id] })
  const updates = (await groupEvents(chat, ben)).filter((event) => event['group_id'] === id)
  assert.deepEqual(
    updates.map((event) => event['data']),
    [{ deactivated: true }, { deactivated: false }],
  )
})
