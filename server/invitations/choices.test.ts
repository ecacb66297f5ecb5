import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { START, startChat } from '../../test/harness.ts'

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

test('the choices name the default channels and the lifetime of invitations that set none, and no archived channel', async () => {
  const chat = await startChat({ settings: { INVITATION_LINK_VALIDITY_MINUTES: 77 } })
  const ada = await chat.user('ada', { role: Role.administrator })
  const [hall, old] = [await chat.channel('hall', []), await chat.channel('old', [])]
  const lab = await chat.channel('lab', [])
  await ada.succeed('POST /default_streams', { stream_id: hall.id })
  await ada.succeed(`DELETE /streams/${old.id}`)

  const choices = await ada.succeed('GET /invites/choices')

  const [inHall, inLab] = [hall, lab].map(({ id, name }) => ({ id, name }))
  assert.deepEqual(choices.channels, [inHall, inLab])
  assert.deepEqual(choices.default_channels, [inHall])
  assert.equal(choices.default_lifetime_minutes, 77)
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
  const endsOf = async () =>
    (await ada.succeed('GET /invites/ended')).invites.map(({ ended_at }: { ended_at: number }) => ended_at - START)
  assert.deepEqual(await endsOf(), [3600, 3600, 600])
  await chat.clock.advance(30 * 86_400)
  assert.deepEqual(await endsOf(), [3600, 3600])
  await chat.clock.advance(1)
  assert.deepEqual(await endsOf(), [])
})
