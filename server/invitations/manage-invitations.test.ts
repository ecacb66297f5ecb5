import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'

const DAY = 86_400

async function invite(person: Person, email: string, params: Record<string, unknown> = {}): Promise<number> {
  await person.succeed('POST /invites', { invitee_emails: email, stream_ids: [], ...params })
  const { invites } = await person.succeed('GET /invites')
  return invites.at(-1).id
}

async function link(chat: Chat, at: number): Promise<string | undefined> {
  return /https?:\S+do_confirm\/\w+/.exec((await chat.mail()).at(at)?.text ?? '')?.[0]
}

test('the email contains the real address of the inviter and a link with its own key', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice', { settings: { email_address_visibility: 4 } })

  await invite(alice, 'new@x.com')
  await invite(alice, 'other@x.com')

  const [first] = await chat.mail()
  assert.equal(first?.subject, 'Alice has invited you to join Example')
  assert.match(first?.text ?? '', /alice@example\.com/)
  assert.match(first?.html ?? '', /alice@example\.com/)
  assert.match((await link(chat, 0)) ?? '', /^http:\/\/parley\.test\/accounts\/do_confirm\/[a-z2-7]{32}$/)
  assert.notEqual(await link(chat, 0), await link(chat, 1))
  assert.equal(first?.headers['X-Auto-Response-Suppress'], 'All')
  assert.match(first?.headers['List-Id'] ?? '', /parley\.test/)
})

test('a name with markup is escaped in the HTML part', async () => {
  const chat = await startChat()
  const mallory = await chat.user('mallory', { fullName: '</a> https://evil' })

  await invite(mallory, 'new@x.com')

  const html = (await chat.mail())[0]?.html ?? ''
  assert.match(html, /&lt;\/a&gt; https:\/\/evil/)
  assert.doesNotMatch(html, /<\/a> https:\/\/evil/)
})

test('the database contains neither the key nor the link', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')

  await invite(alice, 'new@x.com')

  const key = (await link(chat, 0))?.split('/').at(-1) ?? ''
  const { db } = chat.app.services
  const rows = [
    ...(await db.selectFrom('invitations').selectAll().execute()),
    ...(await db.selectFrom('mails').selectAll().execute()),
    ...(await db.selectFrom('events').selectAll().execute()),
  ]
  assert.equal(key.length, 32)
  assert.equal(JSON.stringify(rows).includes(key), false)
})

test('the reminder is sent two days before the expiry, with the same link', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await invite(alice, 'new@x.com')
  await chat.mail()

  await chat.clock.advance(8 * DAY - 60)
  const before = (await chat.mail()).length
  await chat.clock.advance(120)
  const after = await chat.mail()

  assert.deepEqual([before, after.length], [1, 2])
  assert.equal(after[1]?.subject, 'Reminder: Join Alice at Example')
  assert.equal(await link(chat, 1), await link(chat, 0))
})

test('invitations that are short or never expire get no reminder', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await invite(alice, 'short@x.com', { invite_expires_in_minutes: 4 * 24 * 60 - 1 })
  await invite(alice, 'endless@x.com', { invite_expires_in_minutes: null })
  await chat.mail()

  await chat.clock.advance(30 * DAY)

  assert.equal((await chat.mail()).length, 2)
})

test('no reminder is sent for an invitation whose link does not work', async () => {
  const chat = await startChat()
  const other = await chat.organization('other')
  const [ada, ben] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ben', { role: Role.administrator }),
  ]
  const eve = await chat.user('eve', { realm: other })
  await invite(ben, 'boss@x.com', { invite_as: Role.administrator })
  await invite(ben, 'new@x.com')
  await invite(eve, 'elsewhere@x.com')
  await chat.mail()

  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.member })
  await chat.app.services.transaction((tx) => saveRealmFields(tx, other.id, { deactivatedAt: tx.now }))
  await chat.clock.advance(9 * DAY)

  const reminders = (await chat.mail()).filter(({ subject }) => subject.startsWith('Reminder'))
  assert.deepEqual(
    reminders.map(({ to }) => to),
    [['new@x.com']],
  )
})

test('a second invitation to the same address replaces the pending reminder', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  await invite(alice, 'new@x.com')
  await chat.clock.advance(DAY)
  await invite(alice, 'NEW@x.com')
  await chat.mail()

  await chat.clock.advance(20 * DAY)

  const reminders = (await chat.mail()).filter(({ subject }) => subject.startsWith('Reminder'))
  assert.equal(reminders.length, 1)
})

test('administrators list all invitations, others their own, and expired ones are not listed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  await invite(ada, 'one@x.com', { invite_expires_in_minutes: 10, invite_as: 100 })
  const id = await invite(alice, 'two@x.com', { invite_as: 600, notify_referrer_on_join: false })
  await invite(alice, 'three@x.com', { invite_expires_in_minutes: null })

  const list = async (person: Person) => (await person.succeed('GET /invites'))['invites'] as { email: string }[]
  const all = await list(ada)
  const own = await list(alice)
  await chat.clock.advance(601)
  const later = await list(ada)

  assert.deepEqual(
    all.map(({ email }) => email),
    ['one@x.com', 'two@x.com', 'three@x.com'],
  )
  assert.deepEqual(
    later.map(({ email }) => email),
    ['two@x.com', 'three@x.com'],
  )
  assert.deepEqual(own[0], {
    id,
    email: 'two@x.com',
    invited_by_user_id: alice.id,
    invited: START,
    expiry_date: START + 10 * DAY,
    invited_as: 600,
    notify_referrer_on_join: false,
    is_multiuse: false,
  })
})

test('an invitation is revoked once, by its inviter or an administrator', async () => {
  const chat = await startChat()
  const admin = await chat.user('admin', { role: Role.administrator })
  const alice = await chat.user('alice')
  const bob = await chat.user('bob')
  const first = await invite(alice, 'one@x.com')
  const second = await invite(alice, 'two@x.com')
  await chat.mail()
  const withdraw = async (person: Person, id: number) => (await person.call(`DELETE /invites/${id}`)).msg

  const responses = [
    await withdraw(bob, first),
    await withdraw(alice, first),
    await withdraw(alice, first),
    await withdraw(admin, second),
    await withdraw(admin, 999_999),
  ]

  assert.deepEqual(responses, [
    'Must be an organization administrator',
    '',
    'No such invitation',
    '',
    'No such invitation',
  ])
  await chat.clock.advance(20 * DAY)
  assert.equal((await chat.mail()).length, 2)
})

test("only owners can revoke an owner's invitation, and one of another organization is not found", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const admin = await chat.user('admin', { role: Role.administrator })
  const ben = await chat.user('ben')
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  const id = await invite(ada, 'boss@x.com', { invite_as: 100 })
  await ada.succeed('POST /invites/multiuse', { invite_as: 100 })
  const link = (await ada.succeed('GET /invites'))['invites'].at(-1)

  const byAdmin = await admin.call(`DELETE /invites/${id}`)
  const byOwnerElsewhere = await eve.call(`POST /invites/${id}/resend`)
  const byMember = [
    await ben.call(`DELETE /invites/${id}`),
    await ben.call(`POST /invites/${id}/resend`),
    await ben.call(`DELETE /invites/multiuse/${link.id}`),
  ]

  assert.deepEqual([byAdmin.code, byAdmin.msg], ['UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner'])
  assert.equal(byOwnerElsewhere.msg, 'No such invitation')
  for (const { code, msg } of byMember)
    assert.deepEqual([code, msg], ['UNAUTHORIZED_PRINCIPAL', 'Must be an organization owner'])
})

test('resending an invitation emails the same link and restarts its lifetime', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const id = await invite(alice, 'new@x.com', { invite_expires_in_minutes: 60 })
  await chat.mail()
  await chat.clock.advance(3000)

  await alice.succeed(`POST /invites/${id}/resend`)

  assert.equal(await link(chat, 1), await link(chat, 0))
  const { invites } = await alice.succeed('GET /invites')
  assert.deepEqual([invites[0].invited, invites[0].expiry_date], [START + 3000, START + 3000 + 3600])
})

test('deactivating an account ends its invitations', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  await invite(alice, 'new@x.com')

  await ada.succeed(`DELETE /users/${alice.id}`)

  assert.deepEqual((await ada.succeed('GET /invites'))['invites'], [])
})

test('extending an invitation sends no email, keeps the link and moves the reminder', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const id = await invite(alice, 'new@x.com')
  await chat.mail()

  await chat.clock.advance(60)
  await alice.succeed(`PATCH /invites/${id}`, { invite_expires_in_minutes: 20 * 24 * 60 })

  const { invites } = await alice.succeed('GET /invites')
  assert.deepEqual([invites[0].invited, invites[0].expiry_date], [START, START + 60 + 20 * DAY])
  await chat.clock.advance(17 * DAY)
  assert.equal((await chat.mail()).length, 1)
  await chat.clock.advance(30 * DAY)
  const [, reminder, ...others] = await chat.mail()
  assert.match(reminder?.subject ?? '', /^Reminder/)
  assert.deepEqual(others, [])
})

test('an expired invitation can be extended, a revoked one cannot; resending it uses the new lifetime', async () => {
  const chat = await startChat()
  const alice = await chat.user('alice')
  const [first, second] = [await invite(alice, 'one@x.com'), await invite(alice, 'two@x.com')]
  await alice.succeed(`DELETE /invites/${second}`)
  await chat.clock.advance(11 * DAY)
  const extend = (id: number, minutes: number | null) =>
    alice.call(`PATCH /invites/${id}`, { invite_expires_in_minutes: minutes })

  assert.equal((await extend(first, 60)).result, 'success')
  assert.equal((await extend(second, 60)).msg, 'No such invitation')
  assert.equal((await extend(first, 0)).msg, 'An invitation must be valid for at least one minute.')
  await chat.clock.advance(30 * 60)
  await alice.succeed(`POST /invites/${first}/resend`)

  const { invites } = await alice.succeed('GET /invites')
  assert.deepEqual([invites.length, invites[0].expiry_date], [1, START + 11 * DAY + 90 * 60])
})

test("extending another user's invitation is refused like a missing one", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const admin = await chat.user('admin', { role: Role.administrator })
  const ben = await chat.user('ben')
  const ids = [await invite(ada, 'one@x.com'), await invite(ada, 'two@x.com', { invite_as: 100 }), 999_999]
  await ada.succeed('POST /invites/multiuse', { invite_as: 100 })
  const link = (await ada.succeed('GET /invites'))['invites'].at(-1)
  const extend = async (person: Person, route: string) =>
    (await person.call(`PATCH /invites/${route}`, { invite_expires_in_minutes: 60 })).msg

  const responses = []
  for (const route of [...ids, `multiuse/${link.id}`, 'multiuse/999999'])
    responses.push(await extend(ben, String(route)))

  assert.deepEqual(new Set(responses), new Set(['No such invitation']))
  assert.equal(await extend(admin, String(ids[0])), '')
  assert.equal(await extend(admin, String(ids[1])), 'Must be an organization owner')
})

test("what an administrator does with another user's invitation is audited, and its inviter receives an event", async () => {
  const chat = await startChat()
  const [admin, alice] = [await chat.user('admin', { role: Role.administrator }), await chat.user('alice')]
  const offer = { invitee_emails: 'new@x.com,admin@example.com', stream_ids: [], invite_as: Role.guest }
  await alice.call('POST /invites', offer)
  const [{ id }] = (await alice.succeed('GET /invites'))['invites']

  await admin.succeed(`POST /invites/${id}/resend`)
  await admin.succeed(`PATCH /invites/${id}`, { invite_expires_in_minutes: 90 })
  await admin.succeed(`DELETE /invites/${id}`)

  const { entries } = await admin.succeed('GET /audit_log', { category: 'invitations' })
  assert.deepEqual(
    entries.map(({ kind, actor_name, details }: Record<string, unknown>) => [kind, actor_name, details]),
    [
      ['invitation_revoked', 'Admin', { email: 'new@x.com' }],
      ['invitation_extended', 'Admin', { email: 'new@x.com', minutes: 90 }],
      ['invitation_resent', 'Admin', { email: 'new@x.com' }],
      ['invitations_sent', 'Alice', { emails: ['new@x.com'], role: Role.guest }],
    ],
  )
  assert.deepEqual(await chat.eventsOf(alice), Array(4).fill({ type: 'invites_changed' }))
})

test('inviters manage the invitations that they sent as owners, even if they are members now', async () => {
  const chat = await startChat()
  const [ada, bo] = [await chat.user('ada', { role: Role.owner }), await chat.user('bo', { role: Role.owner })]
  const id = await invite(bo, 'boss@x.com', { invite_as: Role.owner })
  await ada.succeed(`PATCH /users/${bo.id}`, { role: Role.member })

  await bo.succeed(`PATCH /invites/${id}`, { invite_expires_in_minutes: 60 })
  await bo.succeed(`DELETE /invites/${id}`)
})
