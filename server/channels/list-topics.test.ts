import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { only, refusalResponse } from '../../test/channels.ts'
import { type Person, startChat } from '../../test/harness.ts'

async function say(person: Person, channel: string, topic: string): Promise<number> {
  const response = await person.succeed('POST /messages', { type: 'channel', to: channel, topic, content: 'hello' })
  return response['id']
}

async function topics(person: Person, id: number, params: object = {}): Promise<[string, number][]> {
  const response = await person.succeed(`GET /users/me/${id}/topics`, { ...params })
  return response['topics'].map((topic: { name: string; max_id: number }) => [topic.name, topic.max_id])
}

test('topics are ordered by their latest message and spelled as in it', async () => {
  const chat = await startChat()
  const [ben, outsider] = [await chat.user('ben'), await chat.user('outsider')]
  const design = await chat.channel('design', [ben])
  await chat.channel('other', [ben])
  await say(ben, 'design', 'colours')
  const fonts = await say(ben, 'design', 'fonts')
  const colours = await say(ben, 'design', 'COLOURS')
  await say(ben, 'other', 'elsewhere')

  assert.deepEqual(await topics(outsider, design.id), [
    ['COLOURS', colours],
    ['fonts', fonts],
  ])
})

test('clients that do not support empty topic names get a name for the topic without one', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ben])
  const id = await say(ben, 'design', '')

  assert.deepEqual(await topics(ben, design.id), [['general chat', id]])
  assert.deepEqual(await topics(ben, design.id, { allow_empty_topic_name: true }), [['', id]])
})

test('in a channel with protected history, each user sees the topics of the messages that they received', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const secret = await chat.channel('secret', [ben], { isPrivate: true, isHistoryShared: false })
  const before = await say(ben, 'secret', 'before')
  await ben.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'secret' }], principals: [cleo.id] })
  const after = await say(ben, 'secret', 'after')

  assert.deepEqual(await topics(ben, secret.id), [
    ['after', after],
    ['before', before],
  ])
  assert.deepEqual(await topics(cleo, secret.id), [['after', after]])
})

test('a user who cannot read a channel cannot list its topics, not even as its administrator', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, dan] = [await chat.user('ben'), await chat.user('dan')]
  const gus = await chat.user('gus', { role: Role.guest })
  const settings = { can_administer_channel_group: only(ben), can_subscribe_group: only(dan) }
  const secret = await chat.channel('secret', [], { isPrivate: true, settings })
  const design = await chat.channel('design', [])

  for (const person of [ada, ben]) {
    assert.deepEqual(await person.call(`GET /users/me/${secret.id}/topics`), refusalResponse('Invalid channel ID'))
  }
  assert.deepEqual(await gus.call(`GET /users/me/${design.id}/topics`), refusalResponse('Invalid channel ID'))
  assert.deepEqual(await topics(dan, secret.id), [])
})
