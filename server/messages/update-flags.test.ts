import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields } from '#channels/queries.ts'
import { type Person, startChat } from '../../test/harness.ts'
import {
  addToChannel,
  fetchMessage,
  invalidMessage,
  leaveChannel,
  sendDirect,
  sendToChannel,
} from '../../test/messages.ts'

const set = (person: Person, op: string, flag: string, messages: number[]) =>
  person.call('POST /messages/flags', { op, flag, messages })

const flagsOf = async (person: Person, id: number) => (await fetchMessage(person, id)).flags

const flagEvents = (received: { type: string }[]) => received.filter((event) => event.type === 'update_message_flags')

test('adding and removing a flag emits events about changed messages to the user alone', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const ids = [await sendDirect(ada, [ben]), await sendDirect(ada, [ben])]

  const added = await set(ben, 'add', 'starred', ids)
  await set(ben, 'add', 'starred', ids)
  assert.deepEqual(await flagsOf(ben, ids[0] as number), ['starred'])
  await set(ben, 'remove', 'starred', ids.slice(0, 1))

  assert.deepEqual(added['messages'], ids)
  assert.deepEqual(added['ignored_because_not_subscribed_channels'], [])
  assert.deepEqual(await flagsOf(ben, ids[0] as number), [])
  const event = { type: 'update_message_flags', flag: 'starred', all: false }
  assert.deepEqual(flagEvents(await chat.eventsOf(ben)), [
    { ...event, op: 'add', operation: 'add', messages: ids },
    { ...event, op: 'remove', operation: 'remove', messages: ids.slice(0, 1) },
  ])
  assert.deepEqual(flagEvents(await chat.eventsOf(ada)), [])
})

test('starring a message that was never received creates a historical record', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))

  await set(ben, 'add', 'starred', [id])

  assert.deepEqual(await flagsOf(ben, id), ['read', 'starred', 'historical'])
})

test('the whole request is refused if a single message is inaccessible or missing', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [secret, own] = [await sendDirect(ada, [ada]), await sendDirect(ben, [ben])]

  for (const id of [secret, 404, 0, -1]) {
    assert.deepEqual(await set(ben, 'add', 'starred', [own, id]), invalidMessage)
    assert.deepEqual(await flagsOf(ben, own), [])
  }
})

test('marking a message that was never received as read has no effect', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))

  const response = await set(ben, 'add', 'read', [id, 404])

  assert.deepEqual(response['messages'], [])
  assert.deepEqual(await flagsOf(ben, id), ['read', 'historical'])
})

test('the event about a message marked as unread contains its conversation', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben])
  const old = await chat.channel('old', [ada, ben])
  const [toChannel, toGroup] = [await sendToChannel(ada, design, '@**Ben**'), await sendDirect(ada, [ben, cleo])]
  const [toSelf, mention] = [await sendDirect(ben, [ben]), await sendDirect(ada, [ben], '@**Ben**')]
  const ids = [toChannel, toGroup, toSelf, mention, await sendToChannel(ada, old)] as const
  await chat.app.services.transaction((tx) => saveChannelFields(tx, old.id, { archivedAt: tx.now }))
  await set(ben, 'add', 'read', [...ids])

  await set(ben, 'remove', 'read', [...ids])

  assert.deepEqual(await flagsOf(ben, toGroup), [])
  const event = (await chat.eventsOf(ben)).at(-1)
  const inTopic = { type: 'stream', topic: 'tea', unmuted_stream_msg: true }
  assert.deepEqual([event?.op, event?.['messages']], ['remove', ids])
  assert.deepEqual(event?.['message_details'], {
    [toChannel]: { ...inTopic, stream_id: design.id, mentioned: true },
    [toGroup]: { type: 'private', user_ids: [ada.id, cleo.id] },
    [toSelf]: { type: 'private', user_ids: [] },
    [mention]: { type: 'private', user_ids: [ada.id], mentioned: true },
    [ids[4]]: { ...inTopic, stream_id: old.id, is_archived: true },
  })
})

test('the event about unread messages says which are muted by their topic or channel', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [design, quiet] = [await chat.channel('design', [ada, ben]), await chat.channel('quiet', [ada, ben])]
  const ids = [
    await sendToChannel(ada, design),
    await sendToChannel(ada, design, 'hello', 'milk'),
    await sendToChannel(ada, quiet),
    await sendToChannel(ada, quiet, 'hello', 'milk'),
  ]
  const subscription_data = [{ stream_id: quiet.id, property: 'is_muted', value: true }]
  await ben.succeed('POST /users/me/subscriptions/properties', { subscription_data })
  const policy = (stream_id: number, visibility_policy: number) =>
    ben.succeed('POST /user_topics', { stream_id, topic: 'milk', visibility_policy })
  await policy(design.id, 1)
  await policy(quiet.id, 2)
  await set(ben, 'add', 'read', ids)

  await set(ben, 'remove', 'read', ids)

  const details = (await chat.eventsOf(ben)).at(-1)?.['message_details'] as Record<string, object>
  assert.partialDeepStrictEqual(Object.values(details), [
    { unmuted_stream_msg: true },
    { unmuted_stream_msg: false },
    { unmuted_stream_msg: false },
    { unmuted_stream_msg: true },
  ])
})

test('messages of an unsubscribed channel stay read, and the response names the channel', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const [id, later] = [await sendToChannel(ada, design), await sendToChannel(ada, design)]
  await leaveChannel(ben, design)

  const response = await set(ben, 'remove', 'read', [id, later])

  assert.deepEqual(response['messages'], [])
  assert.deepEqual(response['ignored_because_not_subscribed_channels'], [design.id])
  assert.deepEqual(await flagsOf(ben, id), ['read'])
})

test('the response never names the channel of an inaccessible message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const secret = await sendToChannel(ada, await chat.channel('secret', [ada], { isPrivate: true }))
  const foreign = await sendToChannel(eve, await chat.channel('theirs', [eve], { realm: eve.realm }))

  for (const id of [secret, foreign, 404]) assert.deepEqual(await set(ben, 'remove', 'read', [id]), invalidMessage)
})

test('a new subscriber can mark earlier messages as unread', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design)
  await addToChannel(ada, design, [ben])

  await set(ben, 'remove', 'read', [id])

  assert.deepEqual(await flagsOf(ben, id), ['historical'])
})

test('flags that the server sets cannot be changed, and unknown flags are refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])

  assert.equal((await set(ada, 'add', 'mentioned', [id])).msg, "Flag not editable: 'mentioned'")
  assert.equal((await set(ada, 'add', 'historical', [id])).msg, "Flag not editable: 'historical'")
  assert.equal((await set(ada, 'add', 'is_private', [id])).msg, "Invalid flag: 'is_private'")
  assert.equal((await set(ada, 'flip', 'read', [id])).msg, "Invalid message flag operation: 'flip'")
})
