import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveDefaultChannel } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { type Body, type Person, startChat } from '../../../test/harness.ts'
import { leaveChannel } from '../../../test/messages.ts'

const state = (person: Person, params: Record<string, unknown> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: ['stream', 'subscription', 'default_streams'], ...params })

const namesOf = (channels: { name: string }[]) => channels.map(({ name }) => name)

test('visible channels are listed as subscribed, unsubscribed or never subscribed', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  await chat.channel('general', [ada, ben])
  await leaveChannel(ben, await chat.channel('left', [ada, ben]))
  await chat.channel('other', [ada])
  await chat.channel('secret', [ada], { isPrivate: true })
  await chat.channel('club', [ben], { isPrivate: true })
  await leaveChannel(ben, await chat.channel('quit', [ada, ben], { isPrivate: true }))

  const toBen = await state(ben)
  const toAda = await state(ada)

  assert.deepEqual(namesOf(toBen.subscriptions), ['club', 'general'])
  assert.deepEqual(namesOf(toBen.unsubscribed), ['left'])
  assert.deepEqual(namesOf(toBen.never_subscribed), ['other'])
  assert.deepEqual(namesOf(toBen.streams), ['club', 'general', 'left', 'other'])
  assert.deepEqual(namesOf(toAda.streams), ['club', 'general', 'left', 'other', 'quit', 'secret'])
  assert.deepEqual(namesOf(toAda.never_subscribed), ['club'])
})

test('guests receive their subscribed channels and web-public ones', async () => {
  const chat = await startChat()
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: Role.guest })]
  const design = await chat.channel('design', [ada, gus])
  await chat.channel('public', [ada])
  await chat.channel('press', [ada], { isWebPublic: true })
  await chat.app.services.transaction((tx) => saveDefaultChannel(tx, chat.realm.id, design.id))

  const toGus = await state(gus)

  assert.deepEqual(namesOf(toGus.subscriptions), ['design'])
  assert.deepEqual(namesOf(toGus.never_subscribed), ['press'])
  assert.deepEqual(namesOf(toGus.streams), ['design', 'press'])
  assert.deepEqual(toGus.realm_default_streams, [])
  assert.deepEqual((await state(ada)).realm_default_streams, [design.id])
})

test('active subscribers are listed for clients that request them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  await chat.channel('general', [cleo, ada, ben])
  await chat.channel('other', [cleo])
  await chat.channel('empty', [])
  await ada.succeed(`DELETE /users/${cleo.id}`)

  const [plain, listed] = [await state(ben), await state(ben, { include_subscribers: true })]

  assert.equal('subscribers' in plain.subscriptions[0], false)
  assert.deepEqual(listed.subscriptions[0].subscribers, [ada.id, ben.id])
  assert.deepEqual(
    listed.never_subscribed.map(({ name, subscribers }: Record<string, unknown>) => [name, subscribers]),
    [
      ['empty', []],
      ['other', []],
    ],
  )
})

test('former subscribers are not listed', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const general = await chat.channel('general', [ada, ben])
  const subscribersNow = async () => (await state(ada, { include_subscribers: true })).subscriptions[0].subscribers

  assert.deepEqual(await subscribersNow(), [ada.id, ben.id])
  await leaveChannel(ben, general)
  assert.deepEqual(await subscribersNow(), [ada.id])
})

test('personal settings of a channel are in the state, even after unsubscribing', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const general = await chat.channel('general', [ada])
  const set = (property: string, value: unknown) =>
    ada.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: general.id, property, value }],
    })
  await set('is_muted', true)
  await set('pin_to_top', true)
  await set('color', '#123456')
  await set('push_notifications', true)
  const expected = {
    is_muted: true,
    in_home_view: false,
    pin_to_top: true,
    color: '#123456',
    push_notifications: true,
    email_notifications: null,
  }
  const form = { client_capabilities: { notification_settings_null: true } }

  const before = await state(ada, form)
  await leaveChannel(ada, general)
  const after = await state(ada, form)

  assert.partialDeepStrictEqual(before.subscriptions[0], expected)
  assert.partialDeepStrictEqual(after.unsubscribed[0], expected)
})

test("notifications that a channel leaves to the user's settings are filled in for older clients", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: { enable_stream_push_notifications: true } })
  await chat.channel('general', [ada])

  const older = (await state(ada)).subscriptions[0]
  const newer = (await state(ada, { client_capabilities: { notification_settings_null: true } })).subscriptions[0]

  assert.partialDeepStrictEqual(older, { push_notifications: true, email_notifications: false })
  assert.partialDeepStrictEqual(newer, { push_notifications: null, email_notifications: null })
})

test('archived channels are only in the state of clients that know them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const closed = await chat.channel('closed', [ada])
  await ada.succeed(`DELETE /streams/${closed.id}`)

  const older = await state(ada)
  const newer = await state(ada, { client_capabilities: { archived_channels: true } })

  assert.deepEqual([older.streams, older.subscriptions], [[], []])
  assert.deepEqual(namesOf(newer.streams), ['closed'])
  assert.equal(newer.subscriptions[0].is_archived, true)
})
