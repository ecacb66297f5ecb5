import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, followsNothing, sendToChannel } from '../../../test/messages.ts'

const [inherit, muted, unmuted, followed] = [0, 1, 2, 3]

async function startDesign(settings: Record<string, unknown> = {}) {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, ...settings } })
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

/** Returns the topics and visibility policies in the user's events, in order. */
async function receivedPolicies(chat: Chat, person: Person): Promise<unknown[]> {
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'user_topic')
  return events.map((event) => [event['topic_name'], event['visibility_policy']])
}

const setPolicy = (person: Person, channel: { id: number }, topic: string, visibility_policy: number | undefined) =>
  person.succeed('POST /user_topics', { stream_id: channel.id, topic, visibility_policy })

const muteChannel = (person: Person, channel: { id: number }) =>
  person.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channel.id, property: 'is_muted', value: true }],
  })

const send = (person: Person, channel: { id: number }, topic: string, content = 'hello') =>
  person.succeed('POST /messages', { type: 'channel', to: channel.id, topic, content })

test('users follow topics that they start, and topics that they join only if their settings say so', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const cleo = await chat.user('cleo', { settings: { automatically_follow_topics_policy: 2 } })
  const design = await chat.channel('design', [ada, ben, cleo])

  const first = await send(ada, design, 'tea')
  const second = await send(ben, design, 'Tea')
  const third = await send(cleo, design, 'tea')
  const fourth = await send(cleo, design, 'tea')

  assert.equal(first['automatic_new_visibility_policy'], followed)
  assert.deepEqual(await receivedPolicies(chat, ada), [['tea', followed]])
  assert.equal(second['automatic_new_visibility_policy'], undefined)
  assert.deepEqual(await receivedPolicies(chat, ben), [])
  assert.equal(third['automatic_new_visibility_policy'], followed)
  assert.equal(fourth['automatic_new_visibility_policy'], undefined)
  assert.deepEqual(await receivedPolicies(chat, cleo), [['tea', followed]])
})

test('the sender gets the event about following the topic before the message event', async () => {
  const { chat, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })

  await sendToChannel(ben, design)

  assert.deepEqual(
    (await chat.eventsOf(ben)).map(({ type }) => type),
    ['user_topic', 'message'],
  )
})

test('sending to a topic of a muted channel unmutes the topic for the sender', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_unmute_topics_in_muted_streams_policy: 2 })
  await sendToChannel(ada, design)
  await sendToChannel(ben, design)
  await muteChannel(ben, design)
  await setPolicy(ben, design, 'milk', muted)

  const tea = await send(ben, design, 'tea')
  await send(ben, design, 'milk')

  assert.equal(tea['automatic_new_visibility_policy'], unmuted)
  assert.deepEqual(await receivedPolicies(chat, ben), [
    ['milk', muted],
    ['tea', unmuted],
    ['milk', unmuted],
  ])
})

test('a user with a policy for a topic without messages does not count as starting it', async () => {
  const { chat, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })
  await setPolicy(ben, design, 'tea', muted)

  await send(ben, design, 'tea')

  assert.deepEqual(await receivedPolicies(chat, ben), [['tea', muted]])
})

test('reacting and voting count as participating, and follow the topic if the settings say so', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_follow_topics_policy: 1 })
  const [tea, milk] = [
    await sendToChannel(ada, design, 'hello', 'tea'),
    await sendToChannel(ada, design, '/poll Milk?\nYes', 'milk'),
  ]
  const part = { msg_type: 'widget', content: { type: 'vote', key: 'canned,0', vote: 1 } }
  await ada.succeed('POST /submessage', { message_id: milk, ...part })

  await ben.succeed(`POST /messages/${tea}/reactions`, { emoji_name: 'tada' })
  await ben.succeed('POST /submessage', { message_id: milk, ...part })
  await ada.succeed(`POST /messages/${tea}/reactions`, { emoji_name: 'tada' })

  assert.deepEqual(await receivedPolicies(chat, ben), [
    ['tea', followed],
    ['milk', followed],
  ])
  assert.deepEqual(await receivedPolicies(chat, ada), [])
})

test('users mentioned by name or with a group follow the topic unless they muted it', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_follow_topics_where_mentioned: true })
  const [cleo, dora] = [await chat.user('cleo'), await chat.user('dora')]
  await addToChannel(ada, design, [cleo, dora])
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [cleo.id] })
  await setPolicy(dora, design, 'tea', muted)

  await sendToChannel(ada, design, '@**Ben** @*makers* @**Dora** @_**Ada**')
  await sendToChannel(ada, design, '@**Ben**')
  await sendToChannel(ada, design, '@**all**', 'milk')

  assert.deepEqual(await receivedPolicies(chat, ben), [['tea', followed]])
  assert.deepEqual(await receivedPolicies(chat, cleo), [['tea', followed]])
  assert.deepEqual(await receivedPolicies(chat, dora), [['tea', muted]])
  assert.deepEqual(await receivedPolicies(chat, ada), [])
})

test('bots do not follow topics', async () => {
  const { chat, ada, design } = await startDesign()
  const bot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  await addToChannel(ada, design, [bot])

  await sendToChannel(bot, design)
  await sendToChannel(ada, design, '@**Robot**', 'milk')

  assert.deepEqual(await receivedPolicies(chat, bot), [])
})

test('in a channel with protected history, users start topics in which they see no messages', async () => {
  const { chat, ada, ben } = await startDesign({ automatically_follow_topics_policy: 3 })
  const secret = await chat.channel('secret', [ada], { isPrivate: true, isHistoryShared: false })
  await sendToChannel(ada, secret)
  await addToChannel(ada, secret, [ben])

  const { automatic_new_visibility_policy } = await send(ben, secret, 'tea')

  assert.equal(automatic_new_visibility_policy, followed)
})

test('visibility policies move along when a whole topic is moved', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const cleo = await chat.user('cleo', { settings: followsNothing })
  await addToChannel(ada, design, [cleo])
  const id = await sendToChannel(ada, design)
  await setPolicy(ada, design, 'tea', followed)
  await setPolicy(ben, design, 'tea', muted)
  await setPolicy(cleo, design, 'milk', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_all' })

  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [
    ['tea', inherit],
    ['milk', followed],
  ])
  assert.deepEqual((await receivedPolicies(chat, ben)).slice(1), [
    ['tea', inherit],
    ['milk', muted],
  ])
  assert.deepEqual((await receivedPolicies(chat, cleo)).slice(1), [['milk', inherit]])
  const mutedTopics = (await chat.eventsOf(ben)).filter(({ type }) => type === 'muted_topics')
  assert.deepEqual(
    mutedTopics.map((event) => (event['muted_topics'] as unknown[][]).map(([, topic]) => topic)),
    [['tea'], [], ['milk']],
  )
})

test('when two topics are merged, the more visible policy of each user is kept', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await sendToChannel(ada, design, 'hello', 'milk')
  await setPolicy(ada, design, 'tea', muted)
  await setPolicy(ben, design, 'tea', followed)
  await setPolicy(ben, design, 'milk', unmuted)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_all' })

  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [['tea', inherit]])
  assert.deepEqual((await receivedPolicies(chat, ben)).slice(2), [
    ['tea', inherit],
    ['milk', followed],
  ])
})

test('resolving and unresolving a topic keeps its followers', async () => {
  const { chat, ada, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await setPolicy(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: '✔ tea', propagate_mode: 'change_all' })
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'tea', propagate_mode: 'change_all' })

  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [
    ['tea', inherit],
    ['✔ tea', followed],
    ['✔ tea', inherit],
    ['tea', followed],
  ])
})

test("users who may not read a topic's new channel lose their policy for it", async () => {
  const { chat, ada, ben, design } = await startDesign()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const id = await sendToChannel(ada, design)
  for (const person of [ada, ben]) await setPolicy(person, design, 'tea', followed)
  await chat.change({ can_move_messages_between_channels_group: 'role:members' })

  await ada.succeed(`PATCH /messages/${id}`, { stream_id: secret.id, propagate_mode: 'change_all' })

  assert.deepEqual((await receivedPolicies(chat, ben)).slice(1), [['tea', inherit]])
  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [
    ['tea', inherit],
    ['tea', followed],
  ])
})

test('moving part of a topic keeps the policies for it, and the sender of the first moved message follows the new topic', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })
  await sendToChannel(ada, design)
  const second = await sendToChannel(ben, design)
  await setPolicy(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${second}`, { topic: 'milk', propagate_mode: 'change_one' })

  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [])
  assert.deepEqual(await receivedPolicies(chat, ben), [['milk', followed]])
})

test('moving the only message of a topic counts as moving the whole topic', async () => {
  const { chat, ada, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await setPolicy(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_one' })

  assert.deepEqual((await receivedPolicies(chat, ada)).slice(1), [
    ['tea', inherit],
    ['milk', followed],
  ])
})
