import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from './answers.ts'
import { listen } from './events.ts'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person, World } from './world.ts'

const server = await startServer()
await server.freeze()

const MINUTE = 60
const PASSWORD = 'a password of their own'

/** Invites a person and returns the key of the link in their email. */
async function invite(person: Person, email: string, params: object = {}): Promise<string> {
  await person.succeed('POST /invites', { invitee_emails: email, stream_ids: [], ...params })
  const text = (await server.mail(email)).at(-1)?.text ?? ''
  return /\/accounts\/do_confirm\/([a-z2-7]{32})/.exec(text)?.[1] ?? assert.fail(text)
}

const open = ({ host }: World, key: string) =>
  server.request({ method: 'GET', path: `/accounts/do_confirm/${key}`, host })

const accept = ({ host }: World, key: string, fields: object = {}) =>
  server.request({
    method: 'POST',
    path: '/accounts/register/',
    host,
    form: encode({ key, full_name: 'Newcomer', password: PASSWORD, ...fields }),
  })

/** Requires a response that logs in and redirects to the home page, and returns the cookie. */
function joined({ status, headers, text }: Answer): string {
  assert.deepEqual([status, headers.location], [302, '/'], text)
  return headers['set-cookie']?.[0]?.split(';')[0] ?? assert.fail('no cookie')
}

function refused({ status, headers, text }: Answer, expected: number, words: RegExp): void {
  assert.deepEqual([status, headers['content-type']], [expected, 'text/html; charset=utf-8'])
  assert.match(text, words)
}

async function memberOf({ owner }: World, email: string) {
  const { members } = await owner.succeed('GET /users')
  return members.find((member: { delivery_email: string | null }) => member.delivery_email === email)
}

async function channelsOf(world: World, email: string): Promise<number[]> {
  const { user_id } = await memberOf(world, email)
  const found = []
  for (const id of Object.values(world.channels)) {
    const { is_subscribed } = await world.owner.succeed(`GET /users/${user_id}/subscriptions/${id}`)
    if (is_subscribed) found.push(id)
  }
  return found
}

test('107: an invitation as a moderator creates a moderator', async () => {
  const world = await server.world()
  const key = await invite(world.moderator, 'new@x.com', { invite_as: 300 })

  const cookie = joined(await accept(world, key))

  assert.partialDeepStrictEqual(await memberOf(world, 'new@x.com'), { role: 300, full_name: 'Newcomer' })
  const me = await server.request({
    method: 'GET',
    path: '/json/users/me',
    host: world.host,
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(me.body?.delivery_email, 'new@x.com', me.text)
})

test('125: a link that is opened repeatedly stays valid until it expires', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com', { invite_expires_in_minutes: 10 })
  const late = await invite(world.alice, 'late@x.com', { invite_expires_in_minutes: 10 })

  for (let time = 0; time < 3; time += 1) assert.equal((await open(world, key)).status, 200)
  await server.advance(10 * MINUTE)
  joined(await accept(world, key))
  await server.advance(1)

  refused(await open(world, late), 404, /has expired/)
  refused(await accept(world, late), 404, /has expired/)
})

test('127: the current default channels are added to the channels of the invitation', async () => {
  const world = await server.world()
  const { pub, def1, web } = world.channels
  const key = await invite(world.alice, 'new@x.com', { stream_ids: [pub], include_realm_default_subscriptions: true })
  await world.owner.succeed('DELETE /default_streams', { stream_id: def1 })
  await world.owner.succeed('POST /default_streams', { stream_id: web })

  joined(await accept(world, key))

  assert.deepEqual(await channelsOf(world, 'new@x.com'), [pub, web])
})

test('128: of two invitations to one address, the one that is not accepted ends', async () => {
  const world = await server.world()
  const [first, second] = [await invite(world.alice, 'new@x.com'), await invite(world.bob, 'NEW@x.com')]
  const readEvents = await listen(world.bob, ['invites_changed'])

  joined(await accept(world, first))

  refused(await open(world, second), 404, /You already have an account/)
  refused(await accept(world, first), 404, /This invitation has been used/)
  assert.deepEqual(await readEvents(), [{ type: 'invites_changed' }])
  assert.deepEqual((await world.owner.succeed('GET /invites')).invites, [])
})

test('129: domain restrictions that are set after the invitation apply', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com')
  await world.owner.succeed('POST /realm/domains', { domain: 'y.com', allow_subdomains: false })
  await world.owner.succeed('PATCH /realm', { emails_restricted_to_domains: true })

  refused(await accept(world, key), 400, /Outside your domain\./)

  assert.equal(await memberOf(world, 'new@x.com'), undefined)
})

test('131: a revoked invitation cannot be used, and the page says so', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com')
  const [{ id }] = (await world.alice.succeed('GET /invites')).invites
  await world.alice.succeed(`DELETE /invites/${id}`)

  refused(await open(world, key), 404, /was revoked/)
  refused(await accept(world, key), 404, /was revoked/)
})

test('132: resending an expired invitation makes the same link valid again', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com', { invite_expires_in_minutes: 10 })
  const [{ id }] = (await world.alice.succeed('GET /invites')).invites
  await server.advance(11 * MINUTE)

  await world.alice.succeed(`POST /invites/${id}/resend`)

  joined(await accept(world, key))
})

test('an invitation of another organization, or an invented one, is unknown', async () => {
  const [world, other] = [await server.world(), await server.world()]
  const key = await invite(world.alice, 'new@x.com')

  for (const found of [await open(other, key), await accept(other, key), await accept(world, 'a'.repeat(32))])
    refused(found, 404, /Invitation not found/)
  joined(await accept(world, key))
})

test('a person whose address has got an account is redirected to the login page', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com')
  await world.owner.succeed('POST /users', { email: 'new@x.com', full_name: 'New', password: PASSWORD })

  for (const { status, headers } of [await open(world, key), await accept(world, key)])
    assert.deepEqual([status, headers.location], [302, '/login/?email=new%40x.com&already_registered=1'])
})

test("D22: an invitation ends with its inviter's account or permission to invite to the role", async () => {
  const world = await server.world()
  const [byAlice, byAdmin] = [
    await invite(world.alice, 'one@x.com'),
    await invite(world.admin, 'two@x.com', { invite_as: 200 }),
  ]
  await world.owner.succeed(`DELETE /users/${world.alice.id}`)
  await world.owner.succeed(`PATCH /users/${world.admin.id}`, { role: 400 })

  for (const key of [byAlice, byAdmin]) {
    refused(await open(world, key), 404, /is no longer valid/)
    refused(await accept(world, key), 404, /is no longer valid/)
  }
})

test('D22: channels and groups that are gone, or that the inviter may no longer grant, are skipped', async () => {
  const world = await server.world()
  const { pub, def1, shared } = world.channels
  const key = await invite(world.alice, 'new@x.com', { stream_ids: [pub, def1, shared] })
  await world.owner.succeed(`DELETE /streams/${def1}`)
  await world.alice.succeed('DELETE /users/me/subscriptions', { subscriptions: ['shared'] })

  joined(await accept(world, key))

  assert.deepEqual(await channelsOf(world, 'new@x.com'), [pub])
})

test('the inviter is notified by a direct message, unless they do not want it', async () => {
  const world = await server.world()
  const { alice, bob } = world
  const readers = [await listen(alice, ['message']), await listen(bob, ['message'])]

  joined(await accept(world, await invite(alice, 'one@x.com')))
  joined(await accept(world, await invite(bob, 'two@x.com', { notify_referrer_on_join: false })))

  const [events, notNotified] = [await readers[0]?.(), await readers[1]?.()]
  const { user_id } = await memberOf(world, 'one@x.com')
  assert.deepEqual(
    events?.map(({ message }) => (message as { content: string }).content),
    [`@_**Newcomer|${user_id}** accepted your invitation to join Parley!`],
  )
  assert.deepEqual(notNotified, [])
})

test('the message that welcomes a new user has no line breaks within its sentences', async () => {
  const world = await server.world()

  const cookie = joined(await accept(world, await invite(world.alice, 'new@x.com')))

  const path = '/json/messages?anchor=newest&num_before=1&num_after=0&apply_markdown=false'
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const { body } = await server.request({ method: 'GET', path, host: world.host, headers })
  const [welcome, ...points] = (body.messages[0].content as string).split('\n').filter((line) => line !== '')
  assert.match(welcome!, /^Welcome, .*!$/)
  assert.deepEqual(
    points.filter((line) => !/^\* .*\.$/.test(line)),
    [],
  )
})

test('earlier messages are historical, the newest twenty unread; protected history is not included', async () => {
  const world = await server.world()
  const { alice, channels } = world
  const said: number[] = []
  for (let number = 0; number < 23; number += 1) {
    const to = number === 22 ? 'protected' : 'pub'
    said.push((await alice.succeed('POST /messages', { type: 'channel', to, topic: 't', content: `${number}` })).id)
  }
  const key = await invite(alice, 'new@x.com', { stream_ids: [channels.pub, channels.protected] })

  const cookie = joined(await accept(world, key))

  const narrow = encodeURIComponent('[{"operator":"channels","operand":"public","negated":false}]')
  const path = `/json/messages?anchor=newest&num_before=100&num_after=0&narrow=${narrow}`
  const headers = { cookie, 'sec-fetch-site': 'same-origin' }
  const { body } = await server.request({ method: 'GET', path, host: world.host, headers })
  const flags = new Map(body.messages.map((message: { id: number; flags: string[] }) => [message.id, message.flags]))
  assert.deepEqual(
    said.slice(0, 22).map((id) => flags.get(id)),
    [...Array(2).fill(['read', 'historical']), ...Array(20).fill(['historical'])],
  )
  const hidden = await server.request({ method: 'GET', path: `/json/messages/${said[22]}`, host: world.host, headers })
  assert.equal(hidden.body?.msg, 'Invalid message(s)')
})

test('a reusable link admits a limited number of people, in the allowed domains', async () => {
  const world = await server.world()
  const { invite_link } = await world.admin.succeed('POST /invites/multiuse', {
    stream_ids: [world.channels.pub],
    max_uses: 2,
    allowed_domains: ['x.com'],
  })
  assert.ok(invite_link.startsWith(`${world.url}/join/`))
  const key = invite_link.split('/').at(-2)
  const show = () => server.request({ method: 'GET', path: `/join/${key}/`, host: world.host })

  assert.equal((await show()).status, 200)
  refused(await accept(world, key, { email: 'a@y.com' }), 400, /This link only accepts addresses at x\.com/)
  joined(await accept(world, key, { email: 'a@x.com' }))
  joined(await accept(world, key, { email: 'b@x.com' }))
  refused(await accept(world, key, { email: 'c@x.com' }), 404, /This invitation has been used/)
  refused(await show(), 404, /This invitation has been used/)

  assert.deepEqual(await channelsOf(world, 'b@x.com'), [world.channels.pub])
  refused(await open(world, key), 404, /Invitation not found/)
})

test('a form with errors is shown again, and its fields are kept', async () => {
  const world = await server.world()
  const key = await invite(world.alice, 'new@x.com')
  await server.testing('PATCH /testing/settings', { ALLOW_WEAK_PASSWORDS: false })

  refused(await accept(world, key, { password: 'short' }), 400, /The password must have at least 8 characters/)
  refused(await accept(world, key, { full_name: '' }), 400, /Name too short!/)

  joined(await accept(world, key))
})
