import assert from 'node:assert/strict'
import test from 'node:test'
import { saveGroup } from '#groups/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

const flagsOf = async (person: Person, id: number) => (await fetchMessage(person, id)).flags

async function makeGroup(chat: Chat, members: Person[], settings = {}): Promise<number> {
  const creator = members[0] as Person
  const memberIds = members.map((member) => member.id)
  const group = { realmId: chat.realm.id, name: 'cooks', description: '', creatorId: creator.id, settings }
  return chat.app.services.transaction((tx) => saveGroup(tx, { ...group, memberIds, subgroupIds: [] }))
}

test('only mentioned users get the mention flag, in channels and direct messages', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])

  const ids = [
    await sendToChannel(ada, design, '@**Ben** hi'),
    await sendDirect(ada, [ben, cleo], `hi @**Ben|${ben.id}**`),
  ]

  for (const id of ids) {
    assert.deepEqual(await flagsOf(ben, id), ['mentioned'])
    assert.deepEqual(await flagsOf(cleo, id), [])
  }
})

test('a mentioned bot gets messages of public channels without a subscription, but not of private channels', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  const design = await chat.channel('design', [ada])
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  const sent = await sendToChannel(ada, design, '@**Robot** @**Ben** hi')
  await sendToChannel(ada, secret, '@**Robot** hi')

  const received = (await chat.eventsOf(robot)).filter((event) => event.type === 'message')

  assert.deepEqual(
    received.map((event) => [(event['message'] as { id: number }).id, event['flags']]),
    [[sent, ['mentioned']]],
  )
  assert.deepEqual(
    (await chat.eventsOf(ben)).filter((event) => event.type === 'message'),
    [],
  )
})

test('silent, quoted and misspelled mentions set no flags', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  for (const content of ['@_**Ben**', '> @**Ben**', '@**Benny**', '`@**Ben**`'])
    assert.deepEqual(await flagsOf(ben, await sendToChannel(ada, design, content)), [], content)
})

test('a channel wildcard flags all subscribers, and a topic wildcard flags users who sent or reacted to messages there', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ada, ben, cleo, dan])
  const first = await sendToChannel(ben, design)
  await cleo.succeed(`POST /messages/${first}/reactions`, { emoji_name: 'tada' })

  const [toAll, toTopic] = [
    await sendToChannel(ada, design, '@**all**'),
    await sendToChannel(ada, design, '@**topic**'),
  ]

  for (const person of [ben, cleo, dan])
    assert.deepEqual(await flagsOf(person, toAll), ['stream_wildcard_mentioned', 'wildcard_mentioned'])
  for (const person of [ben, cleo])
    assert.deepEqual(await flagsOf(person, toTopic), ['topic_wildcard_mentioned', 'wildcard_mentioned'])
  assert.deepEqual(await flagsOf(dan, toTopic), [])
})

test('a channel wildcard in a direct message flags all its recipients', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]

  const id = await sendDirect(ada, [ben, cleo], '@**all** hi')
  const silent = await sendDirect(ada, [ben, cleo], '@_**all** @**topic**')

  const wildcard = ['stream_wildcard_mentioned', 'wildcard_mentioned']
  for (const person of [ben, cleo]) {
    assert.deepEqual(await flagsOf(person, id), wildcard)
    assert.deepEqual(await flagsOf(person, silent), [])
  }
  const [first] = (await chat.eventsOf(ben)).filter(({ type }) => type === 'message')
  assert.deepEqual(first?.['flags'], wildcard)
})

test('a mention of a system group shows its display name', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const names = ['everyone', 'members', 'fullmembers', 'moderators', 'administrators', 'owners']

  const shown = await html(ada, names.map((name) => `@_*role:${name}*`).join(' '))

  assert.deepEqual(
    [...shown.matchAll(/silent" data-user-group-id="\d+">([^<]*)</g)].map(([, name]) => name),
    ['Everyone', 'Members', 'Full members', 'Moderators', 'Administrators', 'Owners'],
  )
  assert.match(await html(ada, '@*role:members*'), />@Members</)
})

test("a topic wildcard includes its author, even in the author's first message there", async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  const first = await sendToChannel(ada, design, '@**topic**')

  assert.deepEqual(await flagsOf(ada, first), ['topic_wildcard_mentioned', 'wildcard_mentioned'])
  assert.deepEqual(await flagsOf(ben, first), [])
})

test('wildcard mentions of more than fifteen users need a permission', async () => {
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
  await sendToChannel(ada, await chat.channel('few', people.slice(0, 15)), '@**all** hi')
})

test('a mention of a group flags its members as mentioned', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])
  await makeGroup(chat, [ben, cleo])

  const id = await sendToChannel(ada, design, '@*cooks* and @**Cleo**')

  assert.deepEqual(await flagsOf(ben, id), ['mentioned'])
  assert.deepEqual(await flagsOf(cleo, id), ['mentioned'])
  assert.deepEqual(await flagsOf(ada, id), [])
})

const html = async (author: Person, content: string) =>
  (await author.succeed('POST /messages/render', { content }))['rendered']

const silentMention = (user: { id: number }, name: string) =>
  `<span class="user-mention silent" data-user-id="${user.id}">${name}</span>`

test('mentions of deactivated users are silent, and active users take precedence if several users share a name', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, namesake] = [await chat.user('ben'), await chat.user('ben2', { fullName: 'ben' })]
  const cleo = await chat.user('cleo')
  for (const left of [ben, cleo]) await ada.succeed(`DELETE /users/${left.id}`)

  const rendered = await html(ada, `@**Cleo** @_**Cleo|${cleo.id}** @**|${cleo.id}** @**Ben|${ben.id}** @**Ben**`)

  const mentions = [cleo, cleo, cleo].map((left) => silentMention(left, 'Cleo'))
  const aloud = `<span class="user-mention" data-user-id="${namesake.id}">@ben</span>`
  assert.equal(rendered, `<p>${[...mentions, silentMention(ben, 'Ben'), aloud].join(' ')}</p>`)
})

test('mentions of a deactivated group are silent and set no flags, until another group takes its name', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const old = await makeGroup(chat, [ben])
  await ada.succeed(`POST /user_groups/${old}/deactivate`)

  const id = await sendToChannel(ada, design, '@*cooks*')
  const next = await makeGroup(chat, [ben])

  const silent = `<span class="user-group-mention silent" data-user-group-id="${old}">cooks</span>`
  assert.equal((await fetchMessage(ada, id)).content, `<p>${silent}</p>`)
  assert.deepEqual(await flagsOf(ben, id), [])
  assert.match(await html(ada, '@*cooks*'), new RegExp(`class="user-group-mention" data-user-group-id="${next}"`))
})

test('system bots can be mentioned, for example in quotes, but get no events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const { cross_realm_bots: bots } = await ada.succeed('POST /register', { event_types: ['realm_user'] })
  const bot = bots[0] as { user_id: number; full_name: string }

  const id = await sendToChannel(ada, design, `@_**${bot.full_name}|${bot.user_id}** @**${bot.full_name}**`)

  const aloud = `<span class="user-mention" data-user-id="${bot.user_id}">@${bot.full_name}</span>`
  assert.equal(
    (await fetchMessage(ada, id)).content,
    `<p>${silentMention({ id: bot.user_id }, bot.full_name)} ${aloud}</p>`,
  )
  const records = await chat.app.services.db
    .selectFrom('userMessages')
    .select('userId')
    .where('messageId', '=', id)
    .execute()
  assert.deepEqual(records, [{ userId: ada.id }])
})

test('a guest with limited access can mention bots, but no users without a shared channel or conversation', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: Role.guest })]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })

  const rendered = await html(gus, '@**Robot** @**Ada**')

  const mention = `<span class="user-mention" data-user-id="${robot.id}">@Robot</span>`
  assert.equal(rendered, `<p>${mention} @<strong>Ada</strong></p>`)
})

test('a message is refused if it mentions a group that its author may not mention', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  await makeGroup(chat, [ben], { can_mention_group: { direct_members: [ben.id], direct_subgroups: [] } })

  const answer = await ada.call('POST /messages', { type: 'channel', to: 'design', topic: 'tea', content: '@*cooks*' })

  assert.equal(answer.msg, "You are not allowed to mention user group 'cooks'.")
  await sendToChannel(ben, design, '@*cooks*')
  await sendToChannel(ada, design, '@_*cooks*')
})

test('the name of a channel stays text for an author who may not see the channel, and becomes a link for others', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  await chat.channel('secret', [ben], { isPrivate: true })

  const [byAda, byBen] = [
    await sendToChannel(ada, design, '#**secret**'),
    await sendToChannel(ben, design, '#**secret**'),
  ]

  assert.equal((await fetchMessage(ada, byAda)).content, '<p>#<strong>secret</strong></p>')
  assert.match((await fetchMessage(ada, byBen)).content, /class="stream"/)
})

test('rendering without sending gives the same HTML as sending', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const content = `\n**hi** @**Ben** :tada:\n`

  const { rendered } = await ada.succeed('POST /messages/render', { content })

  assert.equal((await fetchMessage(ada, await sendDirect(ada, [ben], content))).content, rendered)
  assert.equal((await ada.succeed('POST /messages/render', { content: '' }))['rendered'], '')
})
