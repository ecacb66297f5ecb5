import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'

test('an administrator changes a name and a role, and both are emitted to everyone', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  await ada.succeed(`PATCH /users/${ben.id}`, { full_name: ' Benjamin ', role: Role.moderator })

  const { user } = await cleo.succeed(`GET /users/${ben.id}`)
  assert.partialDeepStrictEqual(user, { full_name: 'Benjamin', role: 300 })
  const received = (await chat.eventsOf(cleo)).filter((event) => event.type === 'realm_user')
  assert.deepEqual(received, [
    { type: 'realm_user', op: 'update', person: { user_id: ben.id, role: 300 } },
    { type: 'realm_user', op: 'update', person: { user_id: ben.id, full_name: 'Benjamin' } },
  ])
})

test('unchanged values are not emitted', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')

  await ada.succeed(`PATCH /users/${ben.id}`, {
    full_name: 'Ben',
    role: Role.member,
    new_email: 'ben@example.com',
    profile_data: [],
  })

  assert.deepEqual(await chat.eventsOf(ada), [])
})

test('members cannot change other users, or themselves with this endpoint', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben', { role: Role.moderator })
  const cleo = await chat.user('cleo')

  const ofOther = await ben.call(`PATCH /users/${cleo.id}`, { full_name: 'Nobody' })
  const ofOneself = await ben.call(`PATCH /users/${ben.id}`, { role: Role.administrator })
  const ofNobody = await ben.call('PATCH /users/99999', { full_name: 'Nobody' })

  assert.partialDeepStrictEqual(ofOther, { status: 400, code: 'BAD_REQUEST', msg: 'Insufficient permission' })
  assert.equal(ofOneself.msg, 'Insufficient permission')
  assert.equal(ofNobody.msg, 'No such user')
})

test('only owners can grant or revoke the owner role', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben', { role: Role.administrator })

  const making = await ben.call(`PATCH /users/${ben.id}`, { role: Role.owner })
  const demotion = await ben.call(`PATCH /users/${ada.id}`, { role: Role.member })
  const byOwner = await ada.call(`PATCH /users/${ben.id}`, { role: Role.owner })

  assert.equal(making.msg, 'Must be an organization owner')
  assert.equal(demotion.msg, 'Must be an organization owner')
  assert.equal(byOwner.result, 'success')
})

test('the last owner cannot be demoted, even if two owners demote each other at once', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.user('robo', { role: Role.owner, botType: BotType.generic, owner: ada })

  const alone = await ada.call(`PATCH /users/${ada.id}`, { role: Role.member })

  assert.equal(alone.msg, 'The owner permission cannot be removed from the only organization owner.')
  const ben = await chat.user('ben', { role: Role.owner })
  const responses = await Promise.all([
    ada.call(`PATCH /users/${ben.id}`, { role: Role.member }),
    ben.call(`PATCH /users/${ada.id}`, { role: Role.member }),
  ])
  assert.deepEqual(responses.map((response) => response.result).sort(), ['error', 'success'])
})

test('an unknown role is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')

  const unknown = await ada.call(`PATCH /users/${ben.id}`, { role: 500 })
  const text = await ada.call(`PATCH /users/${ben.id}`, { role: '"member"' })

  assert.equal(unknown.msg, 'Invalid role: Value error, Not in the list of possible values')
  assert.equal(text.msg, 'role is not an integer')
})

test('a user who becomes a guest loses access to public channels, and regains it as a member', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ada])
  await chat.channel('garden', [ben])

  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.guest })
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.member })

  const received = (await chat.eventsOf(ben)).filter((event) => event.type === 'stream')
  assert.partialDeepStrictEqual(received, [
    { op: 'delete', stream_ids: [design.id] },
    { op: 'create', streams: [{ stream_id: design.id, name: 'design' }] },
  ])
  const groups = (await chat.eventsOf(ada)).filter((event) => event.type === 'user_group').map((event) => event['op'])
  assert.deepEqual(groups, [
    'remove_members',
    'remove_members',
    'add_members',
    'remove_members',
    'add_members',
    'add_members',
  ])
})

test('managers of a bot receive it again when its address changes', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })

  await ada.succeed(`PATCH /users/${robo.id}`, { new_email: 'robo@example.org' })

  const received = (await chat.eventsOf(ben)).filter(({ type }) => type === 'realm_bot')
  assert.deepEqual(
    received.map(({ op, bot }) => [op, (bot as { email?: string }).email]),
    [
      ['delete', undefined],
      ['add', 'robo@example.org'],
      ['update', undefined],
    ],
  )
})

test('a request that is refused in part changes nothing', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')

  const response = await ada.call(`PATCH /users/${ben.id}`, { role: Role.moderator, full_name: 'Ben*' })
  const field = await ada.call(`PATCH /users/${ben.id}`, { role: 300, profile_data: [{ id: 4, value: 'x' }] })

  assert.equal(response.msg, 'Invalid characters in name!')
  assert.equal(field.msg, 'Field id 4 not found.')
  assert.equal((await ada.succeed(`GET /users/${ben.id}`))['user'].role, 400)
  assert.deepEqual(await chat.eventsOf(ada), [])
})

test('limited guests receive no events about users that they may not see', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.owner })
  const gus = await chat.user('gus', { role: Role.guest })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  await chat.channel('design', [gus, cleo])

  await ada.succeed(`PATCH /users/${ben.id}`, { full_name: 'Benjamin' })
  await ada.succeed(`PATCH /users/${cleo.id}`, { full_name: 'Cleopatra' })

  const events = (await chat.eventsOf(gus)).map((event) => event['person'])
  assert.deepEqual(events, [{ user_id: cleo.id, full_name: 'Cleopatra' }])
})
