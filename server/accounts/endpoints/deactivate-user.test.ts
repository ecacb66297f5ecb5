import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'

test('a deactivated user and their bots lose access at once, and everyone gets the events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  await ben.succeed('GET /users/me')

  await ada.succeed(`DELETE /users/${ben.id}`)

  for (const gone of [ben, robo]) {
    const response = await gone.call('GET /users/me')
    assert.partialDeepStrictEqual(response, { status: 401, code: 'UNAUTHORIZED', msg: 'Account is deactivated' })
  }
  const received = (await chat.eventsOf(ada)).filter((event) => event.type === 'realm_user')
  assert.deepEqual(received, [
    { type: 'realm_user', op: 'update', person: { user_id: ben.id, is_active: false } },
    { type: 'realm_user', op: 'update', person: { user_id: robo.id, is_active: false } },
  ])
  const ofBots = (await chat.eventsOf(ada)).filter((event) => event.type === 'realm_bot')
  assert.deepEqual(ofBots, [{ type: 'realm_bot', op: 'update', bot: { user_id: robo.id, is_active: false } }])
})

test('a reactivated user has everything back, including API keys, but their bots stay deactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben', { role: Role.moderator })
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  await ada.succeed(`DELETE /users/${ben.id}`)

  await ada.succeed(`POST /users/${ben.id}/reactivate`)
  await ada.succeed(`POST /users/${ben.id}/reactivate`)

  const own = await ben.succeed('GET /users/me')
  assert.partialDeepStrictEqual(own, { is_active: true, role: 300 })
  assert.equal((await robo.call('GET /users/me')).status, 401)
  const received = (await chat.eventsOf(ada)).filter((event) => event.type === 'realm_user')
  assert.deepEqual(received.at(-1), { type: 'realm_user', op: 'update', person: { user_id: ben.id, is_active: true } })
  assert.equal(received.length, 3)
})

test('guests who may not see a user see the deactivation in the channels that they share', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members', enable_spectator_access: true })
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, gus] = [await chat.user('ben'), await chat.user('gus', { role: Role.guest })]
  const web = await chat.channel('web', [ben], { isWebPublic: true })
  await chat.channel('hidden', [ben], { isPrivate: true })

  await ada.succeed(`DELETE /users/${ben.id}`)

  const ofSubscriptions = async (person: Person) =>
    (await chat.eventsOf(person)).filter(({ type }) => type === 'subscription')
  assert.deepEqual(await ofSubscriptions(gus), [
    { type: 'subscription', op: 'peer_remove', stream_ids: [web.id], user_ids: [ben.id] },
  ])
  assert.deepEqual(await ofSubscriptions(ada), [])
})

test('the invitations of a deactivated user are revoked', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await ben.succeed('POST /invites', { invitee_emails: 'new@example.org', stream_ids: [] })

  await ada.succeed(`DELETE /users/${ben.id}`)

  assert.deepEqual((await ada.succeed('GET /invites'))['invites'], [])
})

test('the last owner of an organization cannot be deactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.user('old', { role: Role.owner })
  await ada.succeed(`DELETE /users/${ada.id + 1}`)

  const ownAccount = await ada.call('DELETE /users/me')
  const byId = await ada.call(`DELETE /users/${ada.id}`)

  const msg = 'Cannot deactivate the only organization owner'
  assert.partialDeepStrictEqual(ownAccount, {
    status: 400,
    code: 'CANNOT_DEACTIVATE_LAST_USER',
    msg,
    is_last_owner: true,
    entity: 'organization owner',
  })
  assert.partialDeepStrictEqual(byId, { status: 400, code: 'BAD_REQUEST', msg })
})

test('administrators can deactivate users, but not owners', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ada = await chat.user('ada', { role: Role.administrator })
  const mod = await chat.user('mod', { role: Role.moderator })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })

  const responses = [
    await mod.call(`DELETE /users/${ben.id}`),
    await ada.call(`DELETE /users/${olga.id}`),
    await ada.call(`DELETE /users/${robo.id}`),
    await ada.call('DELETE /users/99999'),
    await ada.call(`DELETE /users/${ben.id}`),
    await ada.call(`DELETE /users/${ben.id}`),
    await mod.call(`POST /users/${ben.id}/reactivate`),
  ]

  assert.deepEqual(
    responses.map((response) => response.msg),
    [
      'Insufficient permission',
      'Must be an organization owner',
      'No such user',
      'No such user',
      '',
      'User is deactivated',
      'Insufficient permission',
    ],
  )
})

test('users can deactivate their own account', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await ben.succeed('DELETE /users/me')

  assert.equal((await ben.call('GET /users/me')).msg, 'Account is deactivated')
})

test('a deactivated user gets an email if the administrator adds a comment', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  await ada.succeed(`DELETE /users/${ben.id}`, { deactivation_notification_comment: 'So long, <b>Ben</b>.' })
  await ada.succeed(`DELETE /users/${cleo.id}`)

  const mails = await chat.mail()
  assert.deepEqual(
    mails.map((mail) => mail.to),
    [['ben@example.com']],
  )
  assert.equal(mails[0]?.subject, 'Your account at Example was deactivated')
  assert.match(mails[0]?.text ?? '', /So long, <b>Ben<\/b>\./)
  assert.match(mails[0]?.html ?? '', /So long, &lt;b&gt;Ben&lt;\/b&gt;\./)
})

test('a reactivated bot belongs to its owner, or to the actor if the owner is deactivated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  await ben.succeed(`DELETE /bots/${robo.id}`)
  await ben.succeed(`POST /users/${robo.id}/reactivate`)
  await ada.succeed(`DELETE /users/${ben.id}`)

  await ada.succeed(`POST /users/${robo.id}/reactivate`)

  const { user } = await ada.succeed(`GET /users/${robo.id}`)
  assert.deepEqual([user.is_active, user.bot_owner_id], [true, ada.id])
  assert.equal((await robo.call('GET /users/me')).msg, 'Invalid API key')
})

test('a bot cannot be reactivated while another account has its name', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  await ben.succeed(`DELETE /bots/${robo.id}`)
  await chat.user('robo2', { fullName: 'Robo' })

  const response = await ben.call(`POST /users/${robo.id}/reactivate`)

  assert.match(response.msg, /^There is already an active account named "Robo"/)
})
