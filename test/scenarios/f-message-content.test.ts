import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { readMessage, sendDirect, sendToChannel } from './messages.ts'
import { startServer } from './server.ts'
import { picture, upload } from './upload.ts'

const server = await startServer()

const ALWAYS = [
  ...[
    'avatar_url',
    'client',
    'content',
    'content_type',
    'display_recipient',
    'flags',
    'id',
    'is_me_message',
    'reactions',
  ],
  ...['recipient_id', 'sender_email', 'sender_full_name', 'sender_id', 'sender_realm_str', 'subject', 'submessages'],
  ...['timestamp', 'topic_links', 'type'],
]

test('a channel message has exactly its fields', async () => {
  const world = await server.world()
  const { alice, channels, subdomain } = world
  const now = await server.freeze()
  const id = await sendToChannel(alice, 'pub', '**bold** <b>', 'tea time')

  const body = await alice.succeed(`GET /messages/${id}`)

  assert.deepEqual(Object.keys(body).sort(), ['message', 'msg', 'raw_content', 'result'])
  assert.equal(body.raw_content, '**bold** <b>')
  const { message } = body
  assert.deepEqual(Object.keys(message).sort(), [...ALWAYS, 'stream_id'].sort())
  const { recipient_id, timestamp, flags: _, client: __, ...events } = message
  assert.ok(Number.isInteger(recipient_id))
  assert.equal(timestamp, now)
  assert.deepEqual(events, {
    id,
    type: 'stream',
    stream_id: channels.pub,
    display_recipient: 'pub',
    subject: 'tea time',
    topic_links: [],
    content: '<p><strong>bold</strong> &lt;b&gt;</p>',
    content_type: 'text/html',
    sender_id: alice.id,
    sender_email: alice.email,
    sender_full_name: alice.name,
    sender_realm_str: subdomain,
    avatar_url: null,
    is_me_message: false,
    reactions: [],
    submessages: [],
  })
})

test('68: a direct message has no channel and no topic', async () => {
  const { alice, bob } = await server.world()

  const message = await readMessage(bob, await sendDirect(alice, [bob]))

  assert.deepEqual(Object.keys(message).sort(), ALWAYS.toSorted())
  assert.deepEqual([message.type, message.subject, message.topic_links], ['private', '', []])
})

test('69: Markdown is rendered by default', async () => {
  const { alice } = await server.world()
  const id = await sendToChannel(alice, 'pub', '*hi*')
  const content = async (params: object) => {
    const message = await readMessage(alice, id, params)
    return [message.content, message.content_type]
  }

  for (const params of [{}, { apply_markdown: true }, { apply_markdown: ' true ' }])
    assert.deepEqual(await content(params), ['<p><em>hi</em></p>', 'text/html'])
  assert.deepEqual(await content({ apply_markdown: false }), ['*hi*', 'text/x-markdown'])
})

test('70: parameters are checked before the message is looked up', async () => {
  const { alice, guest } = await server.world()

  for (const person of [alice, guest])
    for (const id of [1, 999_999_999]) {
      refused(await person.call(`GET /messages/${id}`, { apply_markdown: 'yes' }), 'apply_markdown is not valid JSON')
      refused(await person.call(`GET /messages/${id}`, { apply_markdown: 'True' }), 'apply_markdown is not valid JSON')
      refused(
        await person.call(`GET /messages/${id}`, { allow_empty_topic_name: 1 }),
        'allow_empty_topic_name is not a boolean',
      )
    }
})

test('70: the last value of a repeated parameter counts, and the message id comes from the path only', async () => {
  const { alice, host } = await server.world()
  const [id, other] = [await sendToChannel(alice, 'pub', '*hi*'), await sendToChannel(alice, 'pub', 'other')]
  const headers = { authorization: `Basic ${Buffer.from(`${alice.email}:${alice.apiKey}`).toString('base64')}` }
  const path = `/api/v1/messages/${id}?apply_markdown=true&message_id=${other}&apply_markdown=false`

  const { body } = await server.request({ method: 'GET', path, host, headers })

  assert.deepEqual([body.message.id, body.message.content], [id, '*hi*'])
  assert.deepEqual(body.ignored_parameters_unsupported, ['message_id'])
})

test('71: clients without support for empty topics get a name; the topic of a direct message is empty', async () => {
  const { alice, bob } = await server.world()
  const direct = await sendDirect(alice, [bob])
  for (const topic of ['', 'general chat', '(no topic)']) {
    const id = await sendToChannel(alice, 'pub', 'hello', topic)
    assert.equal((await readMessage(alice, id)).subject, 'general chat', topic)
    assert.equal((await readMessage(alice, id, { allow_empty_topic_name: false })).subject, 'general chat')
    assert.equal((await readMessage(alice, id, { allow_empty_topic_name: true })).subject, '')
  }

  for (const allowed of [true, false])
    assert.equal((await readMessage(bob, direct, { allow_empty_topic_name: allowed })).subject, '')
})

for (const [content, isMe] of [
  ['/me waves', true],
  ['/mewaves', false],
  ['/me', false],
  ['see /me x', false],
  ['/ME waves', false],
] as const)
  test(`72: ${content} ${isMe ? 'is' : 'is not'} a /me message`, async () => {
    const { alice } = await server.world()

    assert.equal((await readMessage(alice, await sendToChannel(alice, 'pub', content))).is_me_message, isMe)
  })

test("73: the client has the name that the sender's client sent, cut after thirty characters", async () => {
  const { alice } = await server.world()
  const send = { type: 'channel', to: 'pub', topic: 'tea', content: 'hello' }
  const clientOf = async (params: object, headers: Record<string, string> = {}) => {
    const { body } = await alice.call('POST /messages', { ...send, ...params }, { headers })
    return (await readMessage(alice, body.id)).client
  }

  assert.equal(await clientOf({ client: `verylong${'g'.repeat(32)}` }), `verylong${'g'.repeat(22)}`)
  assert.equal(await clientOf({ client: 'short' }), 'short')
  assert.equal(await clientOf({}, { 'user-agent': 'MyClient/1.2 (Linux)' }), 'MyClient')
})

test('74, 75: a user without an uploaded avatar has none, one with an avatar has a URL that changes with it', async () => {
  const world = await server.world()
  const { alice, bob } = world
  const id = await sendToChannel(alice, 'pub')
  const seen = async () => (await readMessage(bob, id)).avatar_url
  assert.equal(await seen(), null)

  await upload(server, world, alice, '/users/me/avatar', picture(10))
  const first = await seen()
  await upload(server, world, alice, '/users/me/avatar', picture(200))
  const second = await seen()

  assert.ok(typeof first === 'string' && typeof second === 'string' && first !== second)
  const shown = await server.request({ method: 'GET', path: second, host: world.host })
  assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/png'])
  await alice.succeed('DELETE /users/me/avatar')
  assert.equal(await seen(), null)
})

test('74: the avatar URL of a user with a hidden address does not reveal it', async () => {
  const world = await server.world()
  const id = await sendToChannel(world.alice, 'pub')
  await world.changeUser(world.alice, { email_address_visibility: 5 })

  const { avatar_url, sender_email } = await readMessage(world.bob, id)

  assert.equal(sender_email, `user${world.alice.id}@${world.host.split(':')[0]}`)
  assert.equal(typeof avatar_url, 'string')
  assert.equal(avatar_url.includes(world.alice.email), false)
})

test('76: a conversation of two users lists them by address', async () => {
  const world = await server.world()
  const late = await world.createUser('zoe')
  const early = await world.createUser('aaron')
  const listed = (person: typeof late) => ({
    id: person.id,
    email: person.email,
    full_name: person.name,
    is_mirror_dummy: false,
  })

  for (const [sender, other] of [
    [late, early],
    [early, late],
  ] as const)
    assert.deepEqual((await readMessage(other, await sendDirect(sender, [other]))).display_recipient, [
      listed(early),
      listed(late),
    ])
  assert.deepEqual((await readMessage(late, await sendDirect(late, [late]))).display_recipient, [listed(late)])
})

test('a group conversation lists its users by id, including the sender', async () => {
  const { alice, bob, carol } = await server.world()
  const { display_recipient } = await readMessage(bob, await sendDirect(carol, [bob, alice]))

  assert.deepEqual(
    display_recipient.map(({ id }: { id: number }) => id),
    [alice.id, bob.id, carol.id].toSorted((one, other) => one - other),
  )
})

test('77: in a conversation of two, each user gets the recipient id of the other, regardless of the sender', async () => {
  const { alice, bob, carol } = await server.world()
  const [there, back] = [await sendDirect(alice, [bob]), await sendDirect(bob, [alice])]
  const of = async (person: typeof alice, id: number) => (await readMessage(person, id)).recipient_id

  assert.equal(await of(alice, there), await of(alice, back))
  assert.equal(await of(bob, there), await of(bob, back))
  assert.notEqual(await of(alice, there), await of(bob, there))
  const group = await sendDirect(alice, [bob, carol])
  assert.equal(await of(alice, group), await of(carol, group))
})

test("87: a guest who may not see all users gets a hidden user's message without a name", async () => {
  const world = await server.world({ settings: { can_access_all_users_group: 'role:members' } })
  const { owner, alice, bob, guest } = world
  await owner.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'pub' }], principals: [guest.id] })
  const id = await sendToChannel(bob, 'pub')
  const other = await sendToChannel(alice, 'pub')
  await bob.succeed('DELETE /users/me/subscriptions', { subscriptions: ['pub'] })

  const message = await readMessage(guest, id)

  assert.deepEqual(
    [message.sender_full_name, message.sender_email],
    ['Unknown user', `user${bob.id}@${world.host.split(':')[0]}`],
  )
  assert.equal((await readMessage(guest, other)).sender_full_name, alice.name)
  assert.equal((await readMessage(owner, id)).sender_full_name, bob.name)
})
