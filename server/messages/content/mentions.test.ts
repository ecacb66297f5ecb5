import assert from 'node:assert/strict'
import test from 'node:test'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { read, say, tell } from '../../../test/talk.ts'
import { saveGroup } from '../../groups/queries.ts'
import { BotType, Role } from '../../users/role.ts'

const flagsOf = async (person: Person, id: number) => (await read(person, id)).flags

async function makeGroup(chat: Chat, members: Person[], settings = {}): Promise<number> {
  const creator = members[0] as Person
  const memberIds = members.map((member) => member.id)
  const group = { realmId: chat.realm.id, name: 'cooks', description: '', creatorId: creator.id, settings }
  return chat.app.services.transaction((tx) => saveGroup(tx, { ...group, memberIds, subgroupIds: [] }))
}

test('who is mentioned has the flag, in channels and direct messages, and nobody else has it', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])

  const ids = [await say(ada, design, '@**Ben** hi'), await tell(ada, [ben, cleo], `hi @**Ben|${ben.id}**`)]

  for (const id of ids) {
    assert.deepEqual(await flagsOf(ben, id), ['mentioned'])
    assert.deepEqual(await flagsOf(cleo, id), [])
  }
})

test('a bot that is mentioned in a public channel hears of it without being subscribed; in a private one it does not', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  const design = await chat.channel('design', [ada])
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const sent = await say(ada, design, '@**Robot** @**Ben** hi')
  await say(ada, secret, '@**Robot** hi')

  const heard = (await chat.toldTo(robot)).filter((event) => event.type === 'message')

  assert.deepEqual(
    heard.map((event) => [(event['message'] as { id: number }).id, event['flags']]),
    [[sent, ['mentioned']]],
  )
  assert.deepEqual(
    (await chat.toldTo(ben)).filter((event) => event.type === 'message'),
    [],
  )
})

test('silent, quoted and misspelled mentions flag nobody', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  for (const content of ['@_**Ben**', '> @**Ben**', '@**Benny**', '`@**Ben**`'])
    assert.deepEqual(await flagsOf(ben, await say(ada, design, content)), [], content)
})

test('a mention of the whole channel flags all its subscribers, one of the topic those who wrote or reacted there', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ada, ben, cleo, dan])
  const first = await say(ben, design)
  await cleo.succeed(`POST /messages/${first}/reactions`, { emoji_name: 'tada' })

  const [toAll, toTopic] = [await say(ada, design, '@**all**'), await say(ada, design, '@**topic**')]

  for (const person of [ben, cleo, dan])
    assert.deepEqual(await flagsOf(person, toAll), ['stream_wildcard_mentioned', 'wildcard_mentioned'])
  for (const person of [ben, cleo])
    assert.deepEqual(await flagsOf(person, toTopic), ['topic_wildcard_mentioned', 'wildcard_mentioned'])
  assert.deepEqual(await flagsOf(dan, toTopic), [])
})

test('mentioning more than fifteen at once needs the permission', async () => {
  const chat = await startChat()
  const [ada, boss] = [await chat.user('ada'), await chat.user('boss', { role: Role.administrator })]
  const people: Person[] = [ada, boss]
  for (let i = 0; i < 14; i += 1) people.push(await chat.user(`user${i}`))
  await chat.channel('many', people)
  const params = { type: 'channel', to: 'many', topic: 'tea', content: '@**all** hi' }

  const answer = await ada.call('POST /messages', params)

  assert.equal(answer.code, 'STREAM_WILDCARD_MENTION_NOT_ALLOWED')
  assert.equal(answer.msg, 'You do not have permission to use channel wildcard mentions in this channel.')
  await boss.succeed('POST /messages', params)
  await say(ada, await chat.channel('few', people.slice(0, 15)), '@**all** hi')
})

test('a mention of a group flags its members as mentioned', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])
  await makeGroup(chat, [ben, cleo])

  const id = await say(ada, design, '@*cooks* and @**Cleo**')

  assert.deepEqual(await flagsOf(ben, id), ['mentioned', 'group_mentioned'])
  assert.deepEqual(await flagsOf(cleo, id), ['mentioned', 'group_mentioned'])
  assert.deepEqual(await flagsOf(ada, id), [])
})

test('a group that not everybody may mention refuses the message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  await makeGroup(chat, [ben], { can_mention_group: { direct_members: [ben.id], direct_subgroups: [] } })

  const answer = await ada.call('POST /messages', { type: 'channel', to: 'design', topic: 'tea', content: '@*cooks*' })

  assert.equal(answer.msg, "You are not allowed to mention user group 'cooks'.")
  await say(ben, design, '@*cooks*')
  await say(ada, design, '@_*cooks*')
})

test('the name of a channel that its author may not know of stays text, for others it becomes a link', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  await chat.channel('secret', [ben], { isPrivate: true })

  const [byAda, byBen] = [await say(ada, design, '#**secret**'), await say(ben, design, '#**secret**')]

  assert.equal((await read(ada, byAda)).content, '<p>#<strong>secret</strong></p>')
  assert.match((await read(ada, byBen)).content, /class="stream"/)
})

test('rendering without sending gives what sending stores', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const content = `\n**hi** @**Ben** :tada:\n`

  const { rendered } = await ada.succeed('POST /messages/render', { content })

  assert.equal((await read(ada, await tell(ada, [ben], content))).content, rendered)
  assert.equal((await ada.succeed('POST /messages/render', { content: '' }))['rendered'], '')
})
