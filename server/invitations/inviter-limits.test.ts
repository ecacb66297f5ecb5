import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '#config.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

const DAY = 86_400

const start = (settings: Partial<Chat['settings']>) => startChat({ settings })

const invite = (person: Person, emails: string) =>
  person.call('POST /invites', { invitee_emails: emails, stream_ids: [] })

const left = async (person: Person) => (await person.succeed('GET /invites/choices')).emails_left

const addresses = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}@x.com`).join()

test('a member can send a limited number of invitations a day, and more are refused before anything is sent', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 3 })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await invite(ada, addresses(2, 'a'))

  const refused = await invite(ada, 'new@x.com,other@x.com')

  assert.deepEqual(refused, {
    status: 400,
    result: 'error',
    msg: 'You can send 3 invitations a day, and you have 1 left today. No invites were sent. Invite fewer people, or try again tomorrow.',
    code: 'INVITATION_FAILED',
    errors: [],
    sent_invitations: false,
    daily_limit_reached: true,
    license_limit_reached: false,
  })
  assert.equal((await chat.mail()).length, 2)
  assert.equal((await invite(ada, 'new@x.com')).status, 200)
  assert.equal((await invite(ben, addresses(3, 'b'))).status, 200)
})

test('by default, members can send 100 invitations a day, and administrators 1,000', () => {
  const settings = readSettings({})

  assert.deepEqual([settings.INVITES_MEMBER_DAILY_MAX, settings.INVITES_ADMINISTRATOR_DAILY_MAX], [100, 1000])
})

test('the limit starts again on the next day (UTC)', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 3 })
  const ada = await chat.user('ada')
  await invite(ada, addresses(3, 'a'))

  await chat.clock.advance(DAY)

  assert.equal(await left(ada), 3)
  assert.equal((await invite(ada, addresses(3, 'b'))).status, 200)
  assert.equal(await left(ada), 0)
})

test('administrators have their own limit, and zero means no limit', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 2, INVITES_ADMINISTRATOR_DAILY_MAX: 4 })
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]

  const refused = await invite(ada, addresses(5, 'a'))
  const allowed = await invite(ada, addresses(4, 'a'))
  Object.assign(chat.app.services.settings, { INVITES_MEMBER_DAILY_MAX: 0 })

  assert.deepEqual([refused['daily_limit_reached'], allowed.status], [true, 200])
  assert.equal(await left(ben), null)
  assert.equal((await invite(ben, addresses(9, 'b'))).status, 200)
})

test('a resent invitation counts for the user who resends it', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 2, INVITES_ADMINISTRATOR_DAILY_MAX: 1 })
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  await invite(ben, 'new@x.com')
  const { invites } = await ben.succeed('GET /invites')
  const resend = (person: Person) => person.call(`POST /invites/${invites[0].id}/resend`)

  assert.equal((await resend(ada)).status, 200)

  const refused = await resend(ada)
  assert.deepEqual([refused.code, refused['daily_limit_reached']], ['INVITATION_FAILED', true])
  assert.deepEqual([await left(ada), await left(ben)], [0, 1])
})

test('the number of invitations left follows the stricter limit', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 8, OPEN_REALM_CREATION: true })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.change({ max_invites: 5 })

  await invite(ada, addresses(3, 'a'))

  assert.deepEqual([await left(ada), await left(ben)], [2, 2])
})

test('the limit of the inviter is checked before the addresses', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 1 })
  const ada = await chat.user('ada')

  const response = await invite(ada, 'noatsign,other')

  assert.deepEqual([response['daily_limit_reached'], response['errors']], [true, []])
})

test('an organization sends an address at most one invitation in ten minutes', async () => {
  const chat = await start({ INVITES_ADDRESS_PAUSE_MINUTES: 10 })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await invite(ada, 'New@x.com')

  const again = await invite(ada, 'new@x.com,other@x.com')
  const byBen = await invite(ben, 'new@x.com,ada@example.com')
  const elsewhere = await invite(eve, 'new@x.com')

  const reason = 'An invitation was sent less than 10 minutes ago.'
  assert.deepEqual(again, {
    status: 400,
    result: 'error',
    msg: "Some people were sent an invitation a few minutes ago, so we didn't send any invitations.",
    code: 'INVITATION_FAILED',
    errors: [['new@x.com', reason, false]],
    sent_invitations: false,
    daily_limit_reached: false,
    license_limit_reached: false,
  })
  assert.deepEqual(byBen['errors'], [
    ['new@x.com', reason, false],
    ['ada@example.com', 'Already has an account.', false],
  ])
  assert.equal(elsewhere.status, 200)
  assert.equal((await chat.mail()).length, 2)
  await chat.clock.advance(600)
  assert.equal((await invite(ada, 'new@x.com,other@x.com')).status, 200)
})

test('an invitation can be resent after ten minutes, and not before', async () => {
  const chat = await start({ INVITES_ADDRESS_PAUSE_MINUTES: 10 })
  const ada = await chat.user('ada')
  await invite(ada, 'new@x.com')
  const { invites } = await ada.succeed('GET /invites')
  const resend = () => ada.call(`POST /invites/${invites[0].id}/resend`)

  await chat.clock.advance(599)
  const early = await resend()
  await chat.clock.advance(1)
  const late = await resend()

  assert.deepEqual(
    [early.status, early.msg, early['sent_invitations']],
    [400, 'An invitation was sent to new@x.com a few minutes ago. Try again later.', false],
  )
  assert.equal(late.status, 200)
  assert.equal((await chat.mail()).length, 2)
  await chat.clock.advance(600)
  await ada.succeed(`PATCH /invites/${invites[0].id}`, { invite_expires_in_minutes: 30 * 24 * 60 })
  assert.equal((await resend()).status, 200, 'the reminder that extending queues is no invitation')
})

test('only one of many concurrent invitations to an address is sent, and the daily limit is kept', async () => {
  const chat = await start({ INVITES_MEMBER_DAILY_MAX: 3, INVITES_ADDRESS_PAUSE_MINUTES: 10 })
  const ada = await chat.user('ada')

  const same = await Promise.all(Array.from({ length: 5 }, () => invite(ada, 'new@x.com')))
  const others = await Promise.all(Array.from({ length: 5 }, (_, at) => invite(ada, `other${at}@x.com`)))

  const succeeded = (responses: { status: number }[]) => responses.filter(({ status }) => status === 200).length
  assert.deepEqual([succeeded(same), succeeded(others)], [1, 2])
  assert.equal((await chat.mail()).length, 3)
})
