import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields, saveChannelSettings } from '#channels/queries.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import {
  addToChannel,
  fetchMessage,
  invalidMessage,
  leaveChannel,
  sendDirect,
  sendToChannel,
} from '../../../test/messages.ts'

const refused = async (person: Person, id: number | string) =>
  assert.deepEqual(await person.call(`GET /messages/${id}`), invalidMessage)

const group = (person: Person) => ({ direct_members: [person.id], direct_subgroups: [] })

async function privateChannel(chat: Chat, subscribers: Person[], isHistoryShared = true) {
  return chat.channel('secret', subscribers, { isPrivate: true, isHistoryShared })
}

test('not even an owner can read direct messages between other users', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ben'),
    await chat.user('cleo'),
  ]

  const id = await sendDirect(ben, [cleo])

  await refused(ada, id)
  assert.equal((await fetchMessage(cleo, id)).content, '<p>hello</p>')
})

test('invalid message ids are refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  for (const id of [1, 0, '9223372036854775807', '9223372036854775808', '1'.repeat(200)]) await refused(ada, id)
})

test('a message that the user may not read gets exactly the same response as a missing message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ada])
  const headers = { host: 'parley.test', authorization: `Basic ${btoa(`${ben.email}:${ben.apiKey}`)}` }
  const fetch = (path: number) => chat.request({ method: 'GET', path: `/api/v1/messages/${path}`, headers })

  const [hidden, missing] = [await fetch(id), await fetch(id + 1000)]

  assert.equal(hidden.body, missing.body)
  assert.equal(hidden.status, missing.status)
})

test('leading zeros of an id are ignored, and HEAD gets no body', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])

  assert.equal((await ada.call(`GET /messages/00${id}`)).status, 200)
  assert.deepEqual(await ada.call(`HEAD /messages/${id}`), { status: 200 })
})

test('all users except guests can read public channels, including bots and earlier messages', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))
  await chat.clock.advance(365 * 86_400)
  const dave = await chat.user('dave', { joinedAt: chat.clock.now() })
  const bot = await chat.user('bot', { botType: BotType.generic, owner: dave })

  assert.equal((await fetchMessage(dave, id)).id, id)
  assert.equal((await fetchMessage(bot, id)).id, id)
})

test('a guest can read public and web-public channels only while subscribed, including earlier messages', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ada])
  const ids = [
    await sendToChannel(ada, design),
    await sendToChannel(ada, await chat.channel('web', [ada], { isWebPublic: true })),
  ] as const

  for (const id of ids) await refused(gus, id)
  await addToChannel(ada, design, [gus])
  assert.equal((await fetchMessage(gus, ids[0])).id, ids[0])
  await leaveChannel(gus, design)
  await refused(gus, ids[0])
})

test('new subscribers of a private channel with shared history can read earlier messages, and former subscribers nothing', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const secret = await privateChannel(chat, [ada])
  const before = await sendToChannel(ada, secret)

  await refused(ben, before)
  await addToChannel(ada, secret, [ben])
  const received = await sendToChannel(ada, secret)
  assert.equal((await fetchMessage(ben, before)).id, before)
  await leaveChannel(ben, secret)
  await refused(ben, before)
  await refused(ben, received)
})

test('with protected history, users can read what they received while subscribed, and again after subscribing anew', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const secret = await privateChannel(chat, [ada], false)
  const before = await sendToChannel(ada, secret)
  await addToChannel(ada, secret, [ben])
  const received = await sendToChannel(ada, secret)

  await refused(ben, before)
  assert.equal((await fetchMessage(ben, received)).id, received)

  await leaveChannel(ben, secret)
  const missed = await sendToChannel(ada, secret)
  await refused(ben, received)

  await addToChannel(ada, secret, [ben])
  assert.equal((await fetchMessage(ben, received)).id, received)
  await refused(ben, missed)
})

test('administering a private channel gives no access to its messages, but permission to join or add subscribers does', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [
    await chat.user('ada', { role: Role.owner }),
    await chat.user('ben'),
    await chat.user('cleo'),
  ]
  const secret = await privateChannel(chat, [ben])
  const id = await sendToChannel(ben, secret)
  const change = (settings: object) =>
    chat.app.services.transaction((tx) => saveChannelSettings(tx, secret.id, settings))

  await change({ can_administer_channel_group: group(cleo) })
  await refused(cleo, id)
  await refused(ada, id)
  await change({ can_add_subscribers_group: group(cleo) })
  assert.equal((await fetchMessage(cleo, id)).id, id)
  await change({ can_add_subscribers_group: 'role:nobody', can_subscribe_group: group(cleo) })
  assert.equal((await fetchMessage(cleo, id)).id, id)
})

test('permission to join does not give access to protected history', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const settings = { can_subscribe_group: group(ben) }
  const secret = await chat.channel('secret', [ada], { isPrivate: true, isHistoryShared: false, settings })

  const id = await sendToChannel(ada, secret)

  await refused(ben, id)
})

test('a guest with permission to add subscribers to a private channel cannot read it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const gus = await chat.user('gus', { role: Role.guest })
  const settings = { can_add_subscribers_group: group(gus), can_subscribe_group: group(gus) }
  const secret = await chat.channel('secret', [ada], { isPrivate: true, settings })

  const id = await sendToChannel(ada, secret)

  await refused(gus, id)
})

test('a message of another organization is refused like a missing message', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const realm = await chat.organization('other')
  const eve = await chat.user('eve', { realm })

  const id = await sendToChannel(eve, await chat.channel('open', [eve], { realm }))

  await refused(ada, id)
  assert.equal((await fetchMessage(eve, id)).id, id)
})

test('messages in an archived channel stay readable under the same rules', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const secret = await privateChannel(chat, [ada])
  const id = await sendToChannel(ada, secret)

  await chat.app.services.transaction((tx) => saveChannelFields(tx, secret.id, { archivedAt: tx.now }))

  assert.equal((await fetchMessage(ada, id)).id, id)
  await refused(ben, id)
})

test('a message from a deactivated user keeps its sender', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben]))

  await chat.app.services.transaction((tx) => saveUserFields(tx, ada.id, { deactivatedAt: tx.now }))

  const message = await fetchMessage(ben, id)
  assert.equal(message.sender_full_name, 'Ada')
  assert.equal(message.sender_email, 'ada@example.com')
})

test('an incoming webhook bot can send messages but not fetch them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const hook = await chat.user('hook', { botType: BotType.incomingWebhook, owner: ada })

  const id = await sendToChannel(hook, await chat.channel('design', [ada]))

  const answer = await hook.call(`GET /messages/${id}`)
  assert.equal(answer.status, 401)
  assert.equal(answer.msg, 'This API is not available to incoming webhook bots.')
})
