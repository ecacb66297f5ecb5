import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { saveChannelFields } from '#channels/queries.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../test/messages.ts'

const channelMessage = { type: 'channel', to: 'design', topic: 'tea', content: 'hi' }

const refusal = async (person: Person, params: Record<string, unknown>) => {
  const { result, msg, code, ...rest } = await person.call('POST /messages', params)
  assert.equal(result, 'error')
  return { msg, code, ...rest }
}

test('all ways to name the channel, type and topic work', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const ways = [
    { type: 'stream', to: 'design', subject: 'tea' },
    { type: 'channel', to: '"design"', topic: 'tea' },
    { type: 'stream', to: design.id, topic: 'tea' },
    { type: 'channel', to: ['DESIGN'], topic: ' tea ' },
    { type: 'channel', to: String(design.id), topic: 'tea' },
  ]

  for (const way of ways) {
    const { id } = await ada.succeed('POST /messages', { ...way, content: 'hi' })

    assert.partialDeepStrictEqual(await fetchMessage(ada, id), { type: 'stream', subject: 'tea', stream_id: design.id })
  }
})

test('a request with two topics, or without one, is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await chat.channel('design', [ada])
  const { topic, ...topicless } = channelMessage

  assert.deepEqual(await refusal(ada, { ...channelMessage, subject: topic }), {
    status: 400,
    code: 'REQUEST_CONFUSING_VAR',
    msg: "Can't decide between 'topic' and 'subject' arguments",
    var_name1: 'topic',
    var_name2: 'subject',
  })
  assert.equal((await refusal(ada, topicless)).msg, 'Missing topic')
})

test('a long topic is truncated, and an organization can require topics', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])

  assert.equal(
    (await fetchMessage(ada, await sendToChannel(ada, design, 'hi', 'x'.repeat(61)))).subject,
    `${'x'.repeat(57)}...`,
  )
  await chat.change({ mandatory_topics: true })
  for (const topic of ['', '(no topic)', 'general chat'])
    assert.equal((await refusal(ada, { ...channelMessage, topic })).msg, 'Topics are required in this organization')
})

test('the error names the missing channel', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  assert.deepEqual(await refusal(ada, { ...channelMessage, to: 'nowhere' }), {
    status: 400,
    code: 'STREAM_DOES_NOT_EXIST',
    msg: "Channel 'nowhere' does not exist",
    stream: 'nowhere',
  })
  assert.partialDeepStrictEqual(await refusal(ada, { ...channelMessage, to: 404 }), {
    msg: "Channel with ID '404' does not exist",
    stream_id: 404,
  })
  assert.equal((await refusal(ada, { ...channelMessage, to: '1e300' })).code, 'STREAM_DOES_NOT_EXIST')
})

test('hidden private channels, and public channels for guests, are refused like missing channels', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('secret', [ada], { isPrivate: true })
  await chat.channel('design', [ada])

  const toSecret = await refusal(ben, { ...channelMessage, to: 'secret' })
  const toNothing = await refusal(ben, { ...channelMessage, to: 'secres' })

  assert.deepEqual(JSON.stringify(toSecret).replaceAll('secret', 'secres'), JSON.stringify(toNothing))
  assert.equal((await refusal(gus, channelMessage)).code, 'STREAM_DOES_NOT_EXIST')
})

test('a user who may only administer a private channel gets an error about the missing permission to send', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  await chat.channel('secret', [ben], { isPrivate: true })

  const { msg } = await refusal(ada, { ...channelMessage, to: 'secret' })
  assert.equal(msg, "Not authorized to send to channel 'secret'")
})

test('members can send to public channels without a subscription, and bots wherever their owners can', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const secret = await chat.channel('secret', [ada], { isPrivate: true })

  await sendToChannel(ben, await chat.channel('design', [ada]))

  const id = await sendToChannel(bot, secret)
  assert.equal((await fetchMessage(ada, id)).sender_id, bot.id)
})

test('messages to archived channels, and to channels where the user may not post, are refused', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { role: Role.moderator })]
  const settings = { can_send_message_group: 'role:moderators' as const }
  const design = await chat.channel('design', [ada, ben], { settings })

  assert.equal((await refusal(ada, channelMessage)).msg, 'You do not have permission to post in this channel.')
  await sendToChannel(ben, design)
  await chat.app.services.transaction((tx) => saveChannelFields(tx, design.id, { archivedAt: tx.now }))
  assert.equal((await refusal(ben, channelMessage)).msg, "Not authorized to send to channel 'design'")
})

test('messages from interactive clients are read for their sender, and messages from scripts are not, unless the request says so', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await chat.channel('design', [ada])
  const flags = async (agent: string, read_by_sender?: boolean) => {
    const params = { ...channelMessage, read_by_sender }
    const { id } = await ada.call('POST /messages', params, { 'user-agent': agent })
    return (await fetchMessage(ada, id)).flags
  }

  assert.deepEqual(await flags('curl/8.1'), [])
  assert.deepEqual(await flags('curl/8.1', true), ['read'])
  assert.deepEqual(await flags('ZulipTerminal/0.7.0'), ['read'])
  assert.deepEqual(await flags('ZulipTerminal/0.7.0', false), [])
})

test('only the active subscribers receive a message', async () => {
  const chat = await startChat()
  const people = [
    await chat.user('ada'),
    await chat.user('ben'),
    await chat.user('cleo'),
    await chat.user('dan'),
  ] as const
  const [ada, ben, cleo, dan] = people
  const design = await chat.channel('design', [ada, ben, cleo])
  await chat.app.services.transaction((tx) => saveUserFields(tx, cleo.id, { deactivatedAt: tx.now }))
  await sendToChannel(ada, design, '*hi*')

  const received = await chat.eventsOf(ben)
  assert.equal(received.length, 1)
  assert.partialDeepStrictEqual(received[0], {
    type: 'message',
    flags: [],
    rendered_content: '<p><em>hi</em></p>',
    message: { content: '*hi*', content_type: 'text/x-markdown', subject: 'tea', display_recipient: 'design' },
  })
  assert.deepEqual(await chat.eventsOf(cleo), [])
  assert.deepEqual(await chat.eventsOf(dan), [])
})

test('only the sender gets the local id of the message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben])

  await ada.succeed('POST /messages', { ...channelMessage, local_id: '100.01', queue_id: 'a-queue' })

  const local = { local_message_id: '100.01', local_queue_id: 'a-queue' }
  assert.partialDeepStrictEqual(await chat.eventsOf(ada), [local])
  assert(!('local_message_id' in ((await chat.eventsOf(ben))[0] ?? {})))
})

test('empty messages are refused, and overlong messages are truncated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])

  assert.equal((await refusal(ada, { ...channelMessage, content: ' \n ' })).msg, 'Message must not be empty')
  const { content } = await fetchMessage(ada, await sendToChannel(ada, design, 'x'.repeat(10_500)), {
    apply_markdown: false,
  })
  assert.equal(content.length, 10_000)
  assert(content.endsWith('\n[message truncated]'))
})

test('missing parameters are reported in the documented order', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  for (const [params, name] of [
    [{}, 'type'],
    [{ type: 'stream', to: 'design' }, 'content'],
  ] as const)
    assert.partialDeepStrictEqual(await refusal(ada, params), { code: 'REQUEST_VARIABLE_MISSING', var_name: name })
  const nowhere = { topic: 'tea', content: 'x' }
  assert.equal((await refusal(ada, { type: 'stream', ...nowhere })).msg, 'Missing channel')
  assert.equal((await refusal(ada, { type: 'direct', ...nowhere })).msg, 'Message must have recipients')
})

const skip = onPostgres && 'statements are counted on SQLite'

test('sending to thirty users takes as many statements as sending to three', { skip }, async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const people: Person[] = [ada]
  for (let i = 0; i < 29; i += 1) people.push(await chat.user(`user${i}`))
  const [few, many] = [await chat.channel('few', people.slice(0, 3)), await chat.channel('many', people)]
  for (const channel of [few, many]) await sendToChannel(ada, channel)

  const toFew = await countStatements(() => sendToChannel(ada, few))

  assert.equal(await countStatements(() => sendToChannel(ada, many)), toFew)
  assert(toFew <= 9, `${toFew} statements`)
})

const onPostgresOnly = { skip: !onPostgres && 'on SQLite this process knows of every commit' }

test(
  'a person whose subscription another node has just ended receives nothing, before this node is notified',
  onPostgresOnly,
  async () => {
    const chat = await startChat()
    const [ada, ben, cem] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cem')]
    const { id } = await chat.channel('design', [ada, ben, cem])
    await sendToChannel(ada, { name: 'design' })
    await sendToChannel(ada, { name: 'design' })
    const others = new pg.Client({ connectionString: chat.settings.DATABASE_URL })
    await others.connect()
    await others.query(`begin;
    update "counters" set "recipientChanges" = "recipientChanges" + 1 where "name" = 'message';
    update "subscriptions" set "unsubscribedAt" = 1 where "channelId" = ${id} and "userId" = ${ben.id};
    commit`)
    await others.end()

    const sent = await sendToChannel(ada, { name: 'design' })

    const records = await chat.app.services.db
      .selectFrom('userMessages')
      .selectAll()
      .where('messageId', '=', sent)
      .execute()
    assert.deepEqual(records.map(({ userId }) => userId).sort(), [ada.id, cem.id].sort())
  },
)

test('subscribers are read again only after one of them has changed', onPostgresOnly, async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben])
  const statementsOf = async () => {
    const before = chat.app.storage.statements
    await sendToChannel(ada, { name: 'design' })
    return chat.app.storage.statements - before
  }
  for (let number = 0; number < 3; number += 1) await statementsOf()
  const usual = await statementsOf()

  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })
  const afterChange = await statementsOf()
  const then = await statementsOf()

  assert.ok(afterChange > usual)
  assert.equal(then, usual)
})
