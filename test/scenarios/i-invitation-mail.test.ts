import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { listen } from './events.ts'
import { type Mail, startServer } from './server.ts'
import type { Person, World } from './world.ts'

const server = await startServer()
await server.freeze()

const DAY = 86_400

const invite = (person: Person, invitee_emails: string, params: object = {}) =>
  person.succeed('POST /invites', { invitee_emails, stream_ids: [], ...params })

function linkIn({ text, html }: Mail): string {
  const [link = ''] = /http\S+\/accounts\/do_confirm\/[a-z2-7]+/.exec(text) ?? []
  assert.ok(link !== '' && html.includes(link), text)
  return link
}

/** Returns the emails of this organization, because others on the same server may still be sending reminders. */
const mailsOf = async ({ url }: World) => (await server.mail()).filter(({ text }) => text.includes(url))

const isReminder = ({ subject }: Mail) => subject.startsWith('Reminder: ')

test('the email names the inviter, the recipient and the organization, with a link', async () => {
  const { alice, name, url } = await server.world({ name: 'Tea & Co' })

  await invite(alice, 'new@x.com')

  const [letter] = await server.mail()
  assert.ok(letter)
  assert.equal(letter.subject, `${alice.name} has invited you to join ${name}`)
  assert.ok(linkIn(letter).startsWith(url))
  assert.ok(letter.html.includes('Tea &amp; Co') && !letter.html.includes('Tea & Co'))
  const headers = new Map(Object.entries(letter.headers).map(([header, value]) => [header.toLowerCase(), value]))
  assert.equal(headers.get('x-auto-response-suppress'), 'All')
  assert.ok(headers.has('list-id'))
})

test('every email has its own link', async () => {
  const { alice } = await server.world()

  await invite(alice, 'a@x.com,b@x.com')
  await invite(alice, 'a@x.com')

  assert.equal(new Set((await server.mail()).map(linkIn)).size, 3)
})

test("120: the email contains the inviter's real address, even if it is hidden", async () => {
  const world = await server.world()
  await world.changeUser(world.alice, { email_address_visibility: 5 })

  await invite(world.alice, 'new@x.com')

  const [letter] = await server.mail()
  assert.ok(letter?.text.includes(world.alice.email) && letter.html.includes(world.alice.email))
})

test('121: names are escaped in the email', async () => {
  const { alice } = await server.world()
  await alice.succeed('PATCH /settings', { full_name: '</a> https://evil' })

  await invite(alice, 'new@x.com')

  const [letter] = await server.mail()
  assert.equal(letter?.html.includes('</a> https://evil'), false)
  assert.ok(letter?.html.includes('&lt;/a&gt;'))
  assert.equal(letter?.html.includes('href="https://evil'), false)
})

test('122: the language is that of the organization, not of the inviter', async () => {
  const { alice } = await server.world()
  await invite(alice, 'plain@x.com')
  await alice.call(
    'POST /invites',
    { invitee_emails: 'german@x.com', stream_ids: [] },
    { headers: { 'accept-language': 'de' } },
  )

  const [plain, german] = await server.mail()

  assert.equal(german?.subject, plain?.subject)
})

test('123: a reminder with the same link is sent two days before the expiry', async () => {
  const world = await server.world()
  const { alice } = world
  await invite(alice, 'new@x.com')
  const [first] = await mailsOf(world)

  await server.advance(8 * DAY - 1)
  assert.equal((await mailsOf(world)).length, 1)
  await server.advance(1)
  const [, reminder] = await mailsOf(world)
  await server.advance(30 * DAY)

  assert.ok(first && reminder && isReminder(reminder))
  assert.equal(linkIn(reminder), linkIn(first))
  assert.equal((await mailsOf(world)).length, 2)
})

test('123: invitations that expire within four days, or never, get no reminder', async () => {
  const world = await server.world()
  const { alice } = world
  await invite(alice, 'short@x.com', { invite_expires_in_minutes: 4 * 24 * 60 - 1 })
  await invite(alice, 'endless@x.com', { invite_expires_in_minutes: 'null' })
  await invite(alice, 'enough@x.com', { invite_expires_in_minutes: 4 * 24 * 60 })

  await server.advance(60 * DAY)

  assert.deepEqual(
    (await mailsOf(world)).filter(isReminder).map(({ to }) => to),
    [['enough@x.com']],
  )
})

test('124: a person who is invited again gets one reminder, the later one', async () => {
  const world = await server.world()
  const { alice, bob } = world
  await invite(alice, 'new@x.com')
  await server.advance(DAY)
  await invite(bob, 'NEW@x.com')

  await server.advance(7 * DAY)
  assert.equal((await mailsOf(world)).some(isReminder), false)
  await server.advance(30 * DAY)

  const [, second, ...reminders] = await mailsOf(world)
  assert.equal(reminders.length, 1)
  assert.equal(linkIn(reminders[0] as Mail), linkIn(second as Mail))
})

test('126: an invitation that would already have expired is refused', async () => {
  const { alice } = await server.world()

  for (const minutes of [0, -5, -14_400, 1e15]) {
    const params = { invitee_emails: 'new@x.com', stream_ids: [], invite_expires_in_minutes: minutes }
    const { status, body } = await alice.call('POST /invites', params)
    assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], String(minutes))
  }
  assert.deepEqual(await server.mail(), [])
})

test('130: administrators see all pending invitations, others their own', async () => {
  const { admin, owner, alice, bob, guest } = await server.world()
  const { now } = await server.testing('GET /testing/clock')
  await invite(alice, 'a@x.com', { invite_as: 600, notify_referrer_on_join: false })
  await invite(bob, 'b@x.com', { invite_expires_in_minutes: 'null' })
  await invite(admin, 'c@x.com', { invite_expires_in_minutes: 10 })
  const emails = async (person: Person) =>
    (await person.succeed('GET /invites')).invites.map(({ email }: { email: string }) => email).sort()

  const [own, ...others] = (await alice.succeed('GET /invites')).invites
  const { id, ...fields } = own
  assert.deepEqual([typeof id, others], ['number', []])
  assert.deepEqual(fields, {
    email: 'a@x.com',
    invited_by_user_id: alice.id,
    invited: now,
    expiry_date: now + 10 * DAY,
    invited_as: 600,
    is_multiuse: false,
    notify_referrer_on_join: false,
  })
  for (const person of [owner, admin]) assert.deepEqual(await emails(person), ['a@x.com', 'b@x.com', 'c@x.com'])
  refused(await guest.call('GET /invites'), 'Not allowed for guest users')

  await server.advance(601)
  assert.deepEqual(await emails(owner), ['a@x.com', 'b@x.com'])
  await server.advance(10 * DAY)
  assert.deepEqual(await emails(owner), ['b@x.com'])
})

test('131: an invitation is revoked by its inviter or an administrator, once, and then gets no reminder', async () => {
  const [world, other] = [await server.world(), await server.world()]
  const { admin, alice, bob } = world
  await invite(alice, 'a@x.com,b@x.com')
  const [first, second] = (await alice.succeed('GET /invites')).invites.map(
    ({ id }: { id: number }) => `DELETE /invites/${id}`,
  )

  refused(await bob.call(first), 'Must be an organization administrator')
  refused(await other.owner.call(first), 'No such invitation')
  await alice.succeed(first)
  refused(await alice.call(first), 'No such invitation')
  await admin.succeed(second)
  refused(await admin.call('DELETE /invites/999999'), 'No such invitation')

  await server.advance(30 * DAY)
  assert.deepEqual((await mailsOf(world)).filter(isReminder), [])
})

test('131: only owners can revoke an invitation as an owner', async () => {
  const { owner, admin } = await server.world()
  await invite(owner, 'boss@x.com', { invite_as: 100 })
  const [{ id }] = (await admin.succeed('GET /invites')).invites

  refused(await admin.call(`DELETE /invites/${id}`), 'Must be an organization owner', {
    code: 'UNAUTHORIZED_PRINCIPAL',
  })
  await owner.succeed(`DELETE /invites/${id}`)
})

test('132: a resent invitation has the same link, and its lifetime restarts', async () => {
  const world = await server.world()
  const { alice, bob } = world
  await invite(alice, 'new@x.com')
  await server.advance(3 * DAY)
  const [{ id }] = (await alice.succeed('GET /invites')).invites

  refused(await bob.call(`POST /invites/${id}/resend`), 'Must be an organization administrator')
  await alice.succeed(`POST /invites/${id}/resend`)

  const [first, again, ...others] = await mailsOf(world)
  assert.ok(first && again)
  assert.deepEqual([linkIn(again), others], [linkIn(first), []])
  const { now } = await server.testing('GET /testing/clock')
  assert.equal((await alice.succeed('GET /invites')).invites[0].expiry_date, now + 10 * DAY)
  await server.advance(20 * DAY)
  assert.equal((await mailsOf(world)).filter(isReminder).length, 1)
})

test('users who can see an invitation receive an event when it is sent and revoked', async () => {
  const { owner, admin, alice, bob } = await server.world()
  const [received, unheard] = [
    await Promise.all([owner, admin, alice].map((each) => listen(each, ['invites_changed']))),
    await listen(bob, ['invites_changed']),
  ]

  await invite(alice, 'new@x.com')
  for (const readEvents of received) assert.deepEqual(await readEvents(), [{ type: 'invites_changed' }])
  const [{ id }] = (await alice.succeed('GET /invites')).invites
  await admin.succeed(`DELETE /invites/${id}`)
  for (const readEvents of received) assert.deepEqual(await readEvents(), [{ type: 'invites_changed' }])
  assert.deepEqual(await unheard(), [])
})
