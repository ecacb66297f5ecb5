import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Body, type Person, START, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const state = (person: Person, types: readonly string[], params: Record<string, unknown> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: types, ...params })

async function world() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const setPolicy = (topic: string, visibility_policy: number) =>
    ada.succeed('POST /user_topics', { stream_id: design.id, topic, visibility_policy })
  return { chat, ada, ben, design, setPolicy }
}

test('muted users are only in the state of the user who muted them', async () => {
  const { ada, ben } = await world()
  await ada.succeed(`POST /users/me/muted_users/${ben.id}`)

  assert.deepEqual((await state(ada, ['muted_users']))['muted_users'], [{ id: ben.id, timestamp: START }])
  assert.deepEqual((await state(ben, ['muted_users']))['muted_users'], [])
})

test('the state has all statuses, and those of visible users for limited guests', async () => {
  const { chat, ada, ben } = await world()
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('guests', [ada, gus])
  await ada.succeed('POST /users/me/status', { status_text: 'out for tea', emoji_name: 'tea' })
  await ben.succeed('POST /users/me/status', { status_text: 'here' })
  await chat.change({ can_access_all_users_group: 'role:members' })

  const [toBen, toGus] = [await state(ben, ['user_status']), await state(gus, ['user_status'])]

  const ofAda = { status_text: 'out for tea', emoji_name: 'tea', emoji_code: '1f375', reaction_type: 'unicode_emoji' }
  assert.deepEqual(toBen['user_status'], { [ada.id]: ofAda, [ben.id]: { status_text: 'here' } })
  assert.deepEqual(toGus['user_status'], { [ada.id]: ofAda })
})

test('topic policies are in the state; older clients receive muted topics only', async () => {
  const { ada, ben, design, setPolicy } = await world()
  for (const topic of ['tea', 'cake', '']) await sendToChannel(ben, design, 'hello', topic)
  await setPolicy('tea', 3)
  await setPolicy('', 1)

  const { user_topics } = await state(ada, ['user_topic', 'muted_topics'])
  const { muted_topics } = await state(ada, ['muted_topics'])

  const rest = { stream_id: design.id, last_updated: START }
  assert.deepEqual(user_topics, [
    { ...rest, topic_name: 'general chat', visibility_policy: 1 },
    { ...rest, topic_name: 'tea', visibility_policy: 3 },
  ])
  assert.deepEqual(muted_topics, [['design', 'general chat', START]])
})

test('unread messages in muted topics do not count; those in unmuted topics of a muted channel do', async () => {
  const { ada, ben, design, setPolicy } = await world()
  const types = ['message', 'update_message_flags']
  const mute = (value: boolean) =>
    ada.succeed('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: design.id, property: 'is_muted', value }],
    })
  const [inTea, inCake] = [
    await sendToChannel(ben, design, '@**all**', 'Tea'),
    await sendToChannel(ben, design, '@**all**', 'cake'),
  ]

  await setPolicy('tea', 1)
  const quiet = (await state(ada, types))['unread_msgs']
  await mute(true)
  await setPolicy('tea', 2)
  const wanted = (await state(ada, types))['unread_msgs']

  assert.deepEqual([quiet.count, quiet.mentions], [1, [inCake]])
  assert.deepEqual([wanted.count, wanted.mentions], [1, [inTea]])
})
