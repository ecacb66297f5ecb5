import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../../test/harness.ts'

const names = (choices: { name: string }[]) => choices.map(({ name }) => name)

test('users can invite to their own role and lower ones', async () => {
  const chat = await startChat()
  const [ada, mo, ben] = [
    await chat.user('ada', { role: Role.administrator }),
    await chat.user('mo', { role: Role.moderator }),
    await chat.user('ben'),
  ]
  const rolesOf = async (person: typeof ada) => (await person.succeed('GET /invites/choices')).roles

  assert.deepEqual(await rolesOf(ada), [200, 300, 400, 600])
  assert.deepEqual(await rolesOf(mo), [300, 400, 600])
  assert.deepEqual(await rolesOf(ben), [400, 600])
})

test('the choices are exactly the channels and groups that an invitation may grant', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const board = await chat.channel('board', [ada], { isPrivate: true })
  await chat.change({ can_add_subscribers_group: 'role:administrators' })
  const { group_id } = await ada.succeed('POST /user_groups/create', {
    name: 'crew',
    description: '',
    members: [ada.id],
  })
  const invite = (params: object) =>
    ben.call('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [], ...params })

  const ofAda = await ada.succeed('GET /invites/choices')
  const ofBen = await ben.succeed('GET /invites/choices')

  assert.deepEqual([names(ofAda.channels), names(ofAda.groups)], [['board', 'design'], ['crew']])
  assert.deepEqual([names(ofBen.channels), names(ofBen.groups)], [[], []])
  for (const params of [{ stream_ids: [design.id] }, { stream_ids: [board.id] }, { group_ids: [group_id] }])
    assert.equal((await invite(params)).result, 'error')
})

test('inviting by email and by link follows the settings of the organization', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await chat.change({ can_invite_users_group: 'role:members', create_multiuse_invite_group: 'role:administrators' })

  const { may_invite_by_email, may_make_links } = await ben.succeed('GET /invites/choices')

  assert.deepEqual([may_invite_by_email, may_make_links], [true, false])
})

test('past invitations are listed for thirty days with the reason, and inviters see only their own', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  await ben.succeed('POST /invites', { invitee_emails: 'a@x.com', stream_ids: [], invite_expires_in_minutes: 10 })
  await ada.succeed('POST /invites', { invitee_emails: 'b@x.com', stream_ids: [] })
  await ada.succeed('POST /invites/multiuse', { max_uses: 3 })
  const { invites } = await ada.succeed('GET /invites')
  const pending = { invitee_emails: 'c@x.com', stream_ids: [], invite_expires_in_minutes: 60 * 24 * 60 }
  await ben.succeed('POST /invites', pending)
  await chat.clock.advance(3600)
  await ada.succeed(`DELETE /invites/${invites[1].id}`)
  await ada.succeed(`DELETE /invites/multiuse/${invites[2].id}`)

  const events = async (person: typeof ada) =>
    (await person.succeed('GET /invites/ended')).invites.map(
      (one: { email?: string; state: string; link_url?: string }) => [one.email ?? 'link', one.state, one.link_url],
    )

  assert.deepEqual(await events(ada), [
    ['link', 'revoked', undefined],
    ['b@x.com', 'revoked', undefined],
    ['a@x.com', 'expired', undefined],
  ])
  assert.deepEqual(await events(ben), [['a@x.com', 'expired', undefined]])
  await chat.clock.advance(31 * 86_400)
  assert.deepEqual(await events(ada), [])
})
