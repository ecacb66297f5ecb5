import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic, refused, succeeded, unauthorized } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()

const KEY = 'abcdefghijklmnopqrstuvwxyz012345'
const ELSEWHERE = 'Account is not associated with this subdomain'

test('8: a wrong key is also invalid on the host of another organization', async () => {
  const [main, other] = [await server.world(), await server.world()]

  const headers = { authorization: basic(other.carol.email, KEY) }
  unauthorized(await main.alice.call('GET /users/me', {}, { headers }), 'Invalid API key')
})

test('a valid key does not work on the host of another organization, or of none', async () => {
  const [main, other] = [await server.world(), await server.world()]

  unauthorized(await other.alice.call('GET /messages/1', {}, { host: main.host }), ELSEWHERE)
  unauthorized(await other.alice.call('GET /messages/1', {}, { host: 'nothing-here.localhost' }), ELSEWHERE)
  unauthorized(await other.webhookbot.call('GET /messages/1', {}, { host: main.host }), ELSEWHERE)
})

test('without credentials, an unknown subdomain is answered like any other', async () => {
  const answer = await server.request({ method: 'POST', path: '/api/v1/invites', host: 'nothing-here.localhost' })

  unauthorized(answer, 'Not logged in: API authentication or user session required')
})

test('errors about the organization and the account come before errors about the host', async () => {
  const [main, other, ended] = [await server.world(), await server.world(), await server.world()]
  await ended.changeSettings({ deactivated: true })

  const host = main.host
  unauthorized(await other.deactivated.call('GET /users/me', {}, { host }), 'Account is deactivated')
  unauthorized(await ended.deactivated.call('GET /users/me', {}, { host }), 'This organization has been deactivated')
})

test('10: the same address in two organizations has two keys, each valid on its own host only', async () => {
  const [main, other] = [await server.world(), await server.world()]
  const [here, there] = [
    await main.createUser('eve', { email: 'eve@x.org' }),
    await other.createUser('eve', { email: 'eve@x.org' }),
  ]

  assert.equal((await here.succeed('GET /users/me')).user_id, here.id)
  assert.equal((await there.succeed('GET /users/me')).user_id, there.id)
  assert.notEqual(here.apiKey, there.apiKey)
  unauthorized(await here.call('GET /users/me', {}, { host: other.host }), ELSEWHERE)
  unauthorized(await there.call('GET /users/me', {}, { host: main.host }), ELSEWHERE)
})

test('the case of the host is ignored, with any port or none', async () => {
  const world = await server.world()

  for (const host of [world.host, world.host.toUpperCase(), `${world.host}:${server.port}`, `${world.host}:443`])
    succeeded(await world.alice.call('GET /users/me', {}, { host }))
})

test('the bare host, www, an IP address and another host name mean the root organization', async () => {
  const root = await server.world({ subdomain: '' })

  for (const host of [
    'localhost',
    `localhost:${server.port}`,
    'www.localhost',
    '127.0.0.1',
    '[::1]',
    'chat.example.net',
  ])
    assert.equal((await root.alice.call('GET /users/me', {}, { host })).body?.user_id, root.alice.id, host)
})

test('ids of another organization are answered like unknown ids', async () => {
  const [main, other] = [await server.world(), await server.world()]
  const sent = await other.alice.succeed('POST /messages', {
    type: 'channel',
    to: 'pub',
    topic: 'far',
    content: 'away',
  })
  const group = await other.createGroup('movers', [other.alice])

  refused(await main.owner.call(`GET /messages/${sent.id}`), 'Invalid message(s)')
  const leave = { subscriptions: ['pub'] }
  refused(
    await main.owner.call('DELETE /users/me/subscriptions', { ...leave, principals: [other.bob.id] }),
    'No such user',
  )
  refused(
    await main.owner.call('DELETE /users/me/subscriptions', { ...leave, principals: [other.bob.email] }),
    'No such user',
  )
  const invite = { invitee_emails: 'new@example.com' }
  refused(
    await main.owner.call('POST /invites', { ...invite, stream_ids: [other.channels.pub] }),
    `Invalid channel ID ${other.channels.pub}. No invites were sent.`,
  )
  refused(
    await main.owner.call('POST /invites', { ...invite, stream_ids: [], group_ids: [group] }),
    'Invalid user group',
  )
  assert.deepEqual(await server.mail(), [])
})

test("a channel name means the channel of the user's own organization", async () => {
  const [main, other] = [await server.world(), await server.world()]
  await other.createChannel(other.alice, 'only there')

  refused(
    await main.alice.call('DELETE /users/me/subscriptions', { subscriptions: ['only there'] }),
    "Channel 'only there' does not exist",
    { code: 'STREAM_DOES_NOT_EXIST', stream: 'only there' },
  )
  await main.alice.succeed('DELETE /users/me/subscriptions', { subscriptions: ['pub'] })
  const { subscriptions } = await other.alice.succeed('GET /users/me/subscriptions')
  assert.ok(subscriptions.some((each: { name: string }) => each.name === 'pub'))
})

test('presence of one organization is neither visible nor counted in another', async () => {
  const [main, other] = [await server.world(), await server.world()]
  const report = { status: 'active', last_update_id: -1 }

  for (const person of [main.alice, main.bob, main.carol]) await person.succeed('POST /users/me/presence', report)
  const { presences, presence_last_update_id } = await other.alice.succeed('POST /users/me/presence', report)

  assert.deepEqual(Object.keys(presences), [String(other.alice.id)])
  assert.equal(presence_last_update_id, 1)
})

test('an account is found by its real address even if its API address is different', async () => {
  const world = await server.world()
  await world.changeUser(world.alice, { email_address_visibility: 5 })
  const { email, delivery_email } = await world.alice.succeed('GET /users/me')

  assert.equal(email, `user${world.alice.id}@${world.host}`)
  assert.equal(delivery_email, world.alice.email)
  for (const name of [email, email.toUpperCase(), delivery_email])
    succeeded(
      await world.alice.call('GET /users/me', {}, { headers: { authorization: basic(name, world.alice.apiKey) } }),
    )
})
