import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, followsNothing, sendToChannel } from '../../../test/messages.ts'
import { BotType } from '../../people/users/role.ts'

const [inherit, muted, unmuted, followed] = [0, 1, 2, 3]

async function startDesign(settings: Record<string, unknown> = {}) {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: followsNothing })
  const ben = await chat.user('ben', { settings: { ...followsNothing, ...settings } })
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

/** What the events have told somebody to see of topics, one after the other. */
async function received(chat: Chat, person: Person): Promise<unknown[]> {
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'user_topic')
  return events.map((event) => [event['topic_name'], event['visibility_policy']])
}

const decide = (person: Person, channel: { id: number }, topic: string, visibility_policy: number | undefined) =>
  person.succeed('POST /user_topics', { stream_id: channel.id, topic, visibility_policy })

const muteChannel = (person: Person, channel: { id: number }) =>
  person.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channel.id, property: 'is_muted', value: true }],
  })

const send = (person: Person, channel: { id: number }, topic: string, content = 'hello') =>
  person.succeed('POST /messages', { type: 'channel', to: channel.id, topic, content })

test('who starts a topic follows it; who joins in does not, unless they want to', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const cleo = await chat.user('cleo', { settings: { automatically_follow_topics_policy: 2 } })
  const design = await chat.channel('design', [ada, ben, cleo])

  const first = await send(ada, design, 'tea')
  const second = await send(ben, design, 'Tea')
  const third = await send(cleo, design, 'tea')
  const fourth = await send(cleo, design, 'tea')

  assert.equal(first['automatic_new_visibility_policy'], followed)
  assert.deepEqual(await received(chat, ada), [['tea', followed]])
  assert.equal(second['automatic_new_visibility_policy'], undefined)
  assert.deepEqual(await received(chat, ben), [])
  assert.equal(third['automatic_new_visibility_policy'], followed)
  assert.equal(fourth['automatic_new_visibility_policy'], undefined)
  assert.deepEqual(await received(chat, cleo), [['tea', followed]])
})

test('the sender hears that they follow the topic before they hear of the message', async () => {
  const { chat, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })

  await sendToChannel(ben, design)

  assert.deepEqual(
    (await chat.eventsOf(ben)).map(({ type }) => type),
    ['user_topic', 'message'],
  )
})

test('who sends to a topic of a channel that they muted unmutes the topic', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_unmute_topics_in_muted_streams_policy: 2 })
  await sendToChannel(ada, design)
  await sendToChannel(ben, design)
  await muteChannel(ben, design)
  await decide(ben, design, 'milk', muted)

  const tea = await send(ben, design, 'tea')
  await send(ben, design, 'milk')

  assert.equal(tea['automatic_new_visibility_policy'], unmuted)
  assert.deepEqual(await received(chat, ben), [
    ['milk', muted],
    ['tea', unmuted],
    ['milk', unmuted],
  ])
})

test('what somebody decided about a topic without messages keeps it from being theirs to start', async () => {
  const { chat, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })
  await decide(ben, design, 'tea', muted)

  await send(ben, design, 'tea')

  assert.deepEqual(await received(chat, ben), [['tea', muted]])
})

test('who reacts to something or votes takes part, and follows the topic if they want to', async () => {
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

  assert.deepEqual(await received(chat, ben), [
    ['tea', followed],
    ['milk', followed],
  ])
  assert.deepEqual(await received(chat, ada), [])
})

test('who is mentioned, be it with a group, follows the topic unless they muted it', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_follow_topics_where_mentioned: true })
  const [cleo, dora] = [await chat.user('cleo'), await chat.user('dora')]
  await addToChannel(ada, design, [cleo, dora])
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [cleo.id] })
  await decide(dora, design, 'tea', muted)

  await sendToChannel(ada, design, '@**Ben** @*makers* @**Dora** @_**Ada**')
  await sendToChannel(ada, design, '@**Ben**')
  await sendToChannel(ada, design, '@**all**', 'milk')

  assert.deepEqual(await received(chat, ben), [['tea', followed]])
  assert.deepEqual(await received(chat, cleo), [['tea', followed]])
  assert.deepEqual(await received(chat, dora), [['tea', muted]])
  assert.deepEqual(await received(chat, ada), [])
})

test('bots follow nothing', async () => {
  const { chat, ada, design } = await startDesign()
  const bot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  await addToChannel(ada, design, [bot])

  await sendToChannel(bot, design)
  await sendToChannel(ada, design, '@**Robot**', 'milk')

  assert.deepEqual(await received(chat, bot), [])
})

test('in a channel with protected history somebody starts what they see nothing of', async () => {
  const { chat, ada, ben } = await startDesign({ automatically_follow_topics_policy: 3 })
  const secret = await chat.channel('secret', [ada], { isPrivate: true, isHistoryShared: false })
  await sendToChannel(ada, secret)
  await addToChannel(ada, secret, [ben])

  const { automatic_new_visibility_policy } = await send(ben, secret, 'tea')

  assert.equal(automatic_new_visibility_policy, followed)
})

test('what people want to see of a topic goes along when all of it is moved', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const cleo = await chat.user('cleo', { settings: followsNothing })
  await addToChannel(ada, design, [cleo])
  const id = await sendToChannel(ada, design)
  await decide(ada, design, 'tea', followed)
  await decide(ben, design, 'tea', muted)
  await decide(cleo, design, 'milk', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_all' })

  assert.deepEqual((await received(chat, ada)).slice(1), [
    ['tea', inherit],
    ['milk', followed],
  ])
  assert.deepEqual((await received(chat, ben)).slice(1), [
    ['tea', inherit],
    ['milk', muted],
  ])
  assert.deepEqual((await received(chat, cleo)).slice(1), [['milk', inherit]])
  const mutedTopics = (await chat.eventsOf(ben)).filter(({ type }) => type === 'muted_topics')
  assert.deepEqual(
    mutedTopics.map((event) => (event['muted_topics'] as unknown[][]).map(([, topic]) => topic)),
    [['tea'], [], ['milk']],
  )
})

test('where two topics become one, what is seen most of remains', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await sendToChannel(ada, design, 'hello', 'milk')
  await decide(ada, design, 'tea', muted)
  await decide(ben, design, 'tea', followed)
  await decide(ben, design, 'milk', unmuted)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_all' })

  assert.deepEqual((await received(chat, ada)).slice(1), [['tea', inherit]])
  assert.deepEqual((await received(chat, ben)).slice(2), [
    ['tea', inherit],
    ['milk', followed],
  ])
})

test('a resolved topic is followed on, and so is one that is opened again', async () => {
  const { chat, ada, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await decide(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: '✔ tea', propagate_mode: 'change_all' })
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'tea', propagate_mode: 'change_all' })

  assert.deepEqual((await received(chat, ada)).slice(1), [
    ['tea', inherit],
    ['✔ tea', followed],
    ['✔ tea', inherit],
    ['tea', followed],
  ])
})

test('who may not read where a topic went has nothing of it any more', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const id = await sendToChannel(ada, design)
  for (const person of [ada, ben]) await decide(person, design, 'tea', followed)
  await chat.change({ can_move_messages_between_channels_group: 'role:members' })

  await ada.succeed(`PATCH /messages/${id}`, { stream_id: secret.id, propagate_mode: 'change_all' })

  assert.deepEqual((await received(chat, ben)).slice(1), [['tea', inherit]])
  assert.deepEqual((await received(chat, ada)).slice(1), [
    ['tea', inherit],
    ['tea', followed],
  ])
})

test('moving a part of a topic leaves what people want to see of it; whoever said it first follows the new one', async () => {
  const { chat, ada, ben, design } = await startDesign({ automatically_follow_topics_policy: 3 })
  await sendToChannel(ada, design)
  const second = await sendToChannel(ben, design)
  await decide(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${second}`, { topic: 'milk', propagate_mode: 'change_one' })

  assert.deepEqual((await received(chat, ada)).slice(1), [])
  assert.deepEqual(await received(chat, ben), [['milk', followed]])
})

test('the only message of a topic is all of it, however it is moved', async () => {
  const { chat, ada, design } = await startDesign()
  const id = await sendToChannel(ada, design)
  await decide(ada, design, 'tea', followed)

  await ada.succeed(`PATCH /messages/${id}`, { topic: 'milk', propagate_mode: 'change_one' })

  assert.deepEqual((await received(chat, ada)).slice(1), [
    ['tea', inherit],
    ['milk', followed],
  ])
})
