import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

type Stage = { chat: Chat; ada: Person; bot: Person; channelId: number }

const DAY = 86_400

async function startWithBot(): Promise<Stage> {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  const { id } = await chat.channel('events', [ada])
  return { chat, ada, bot, channelId: id }
}

const push = {
  ref: 'refs/heads/main',
  after: 'a'.repeat(40),
  pusher: { name: 'ada' },
  repository: { name: 'engine' },
  commits: [{ id: 'b'.repeat(40), message: 'Fix it', url: 'https://github.com/ada/engine/commit/b' }],
}

type Sent = {
  service?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string | Record<string, unknown>
}

async function send({ chat, bot }: Stage, { service = 'github', query = {}, headers = {}, body = push }: Sent = {}) {
  const search = new URLSearchParams({ api_key: bot.apiKey, stream: 'events', ...query })
  const response = await chat.request({
    method: 'POST',
    path: `/api/v1/external/${service}?${search}`,
    headers: { host: 'parley.test', 'content-type': 'application/json', 'x-github-event': 'push', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return response.status
}

type Listed = {
  id: number
  integration: string
  event: string | null
  outcome: string
  status: number
  code: string | null
  text: string
  message_id: number | null
  can_send_again: boolean
  stream: string | null
  topic: string | null
  kind: string
}

async function deliveries({ ada, bot }: Stage, params: Record<string, unknown> = {}): Promise<Listed[]> {
  return (await ada.succeed(`GET /bots/${bot.id}/webhook_deliveries`, params))['deliveries']
}

const again = ({ ada, bot }: Stage, id: number) => ada.call(`POST /bots/${bot.id}/webhook_deliveries/${id}/send_again`)

async function posted({ chat, bot }: Stage) {
  return chat.app.services.db
    .selectFrom('messages')
    .select(['id', 'topic', 'content', 'channelId'])
    .where('senderId', '=', bot.id)
    .orderBy('id')
    .execute()
}

const rows = ({ chat }: Pick<Stage, 'chat'>) =>
  chat.app.services.db.selectFrom('webhookDeliveries').selectAll().orderBy('id').execute()

test('the log of a bot lists what became of each delivery, the newest first', async () => {
  const stage = await startWithBot()
  const { ada, bot } = stage

  await send(stage)
  await send(stage, { query: { exclude_events: '["push"]' } })
  await send(stage, { query: { branches: 'develop' } })
  await send(stage, { headers: { 'x-github-event': 'new_thing' } })
  await send(stage, { query: { stream: 'gone' } })
  await send(stage, { body: { ref: 5 } })
  await send(stage, { body: '{' })
  await send(stage, { service: 'slack_incoming', query: { stream: 'gone' }, body: { text: 'hi' } })

  const [message] = await posted(stage)
  assert.deepEqual(
    (await deliveries(stage)).map((one) => [one.integration, one.event, one.outcome, one.status, one.code, one.text]),
    [
      ['slack_incoming', null, 'refused', 404, 'STREAM_DOES_NOT_EXIST', "Channel 'gone' does not exist"],
      ['github', null, 'refused', 400, 'INVALID_JSON', 'Malformed JSON'],
      [
        ...['github', 'push', 'refused', 400, 'ANOMALOUS_WEBHOOK_PAYLOAD'],
        'Unable to parse request: Did GitHub generate this event?',
      ],
      ['github', 'push', 'refused', 200, 'STREAM_DOES_NOT_EXIST', "Channel 'gone' does not exist"],
      [
        ...['github', 'new_thing', 'left_out', 200, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE'],
        "The 'new_thing' event isn't currently supported by the GitHub webhook; ignoring",
      ],
      [
        ...['github', 'push', 'left_out', 200, null],
        'No message follows from this event, or the URL leaves out its branch or private repository.',
      ],
      ['github', 'push', 'left_out', 200, null, 'The URL leaves this event out.'],
      ['github', 'push', 'posted', 200, null, ''],
    ],
  )
  assert.deepEqual(
    (await deliveries(stage)).map((one) => one.message_id),
    [...Array(7).fill(null), message?.id],
  )
  const [newest, next] = await deliveries(stage)
  const page = await ada.succeed(`GET /bots/${bot.id}/webhook_deliveries`, { before: newest?.id, num: 1 })
  assert.deepEqual([page['deliveries'], page['has_more']], [[next], true])
  assert.equal((await deliveries(stage, { integration: 'slack_incoming' })).length, 1)
})

test('a delivery is sent again as it came in, without its signature', async () => {
  const stage = await startWithBot()
  const { ada, bot } = stage
  await ada.succeed(`PUT /bots/${bot.id}/webhook_secrets/github`, { secret: 'hunter2' })
  const signature = createHmac('sha256', 'hunter2').update(JSON.stringify(push)).digest('hex')
  await send(stage, { query: { topic: 'all' }, headers: { 'x-hub-signature-256': `sha256=${signature}` } })
  const [first] = await deliveries(stage)

  const answer = await again(stage, first?.id ?? 0)

  const messages = await posted(stage)
  assert.equal(messages.length, 2)
  assert.equal(messages[0]?.content, messages[1]?.content)
  assert.deepEqual(
    messages.map(({ topic }) => topic),
    ['all', 'all'],
  )
  assert.deepEqual(answer['delivery'], {
    ...first,
    ...{ id: answer['delivery'].id, message_id: messages[1]?.id, kind: 'again' },
  })
  assert.deepEqual(answer['delivery'], (await deliveries(stage))[0])
  await ada.succeed(`POST /bots/${bot.id}/webhook_test`, { integration: 'github' })
  assert.deepEqual(
    (await deliveries(stage)).map(({ stream, topic, kind }) => [stream, topic, kind]),
    [
      [null, null, 'test'],
      ['events', 'all', 'again'],
      ['events', 'all', 'delivery'],
    ],
  )
})

test('a delivery to a channel that was missing is posted once the channel exists and it is sent again', async () => {
  const stage = await startWithBot()
  await send(stage, { service: 'opsgenie', query: { stream: 'new', eu_region: 'true' }, body: opsgenie })
  const [refused] = await deliveries(stage)
  const failed = await again(stage, refused?.id ?? 0)
  await stage.chat.channel('new', [stage.ada])

  const { delivery } = await again(stage, failed['delivery'].id)

  assert.deepEqual([failed['delivery'].outcome, delivery.outcome], ['refused', 'posted'])
  assert.match((await posted(stage))[0]?.content ?? '', /app\.eu\.opsgenie\.com/)
})

const opsgenie = {
  action: 'Create',
  integrationName: 'Webhook',
  alert: { alertId: '1', message: 'Disk full', tinyId: '1', tags: [], source: 'x', username: 'ada' },
}

test('a delivery that never became a message or was not authenticated cannot be sent again', async () => {
  const stage = await startWithBot()
  const { ada, bot } = stage
  await send(stage, { body: '{' })
  await send(stage, { body: { ...push, filling: 'x'.repeat(70_000) } })
  await ada.succeed(`PUT /bots/${bot.id}/webhook_secrets/github`, { secret: 'hunter2' })
  for (let count = 0; count < 3; count += 1) await send(stage)

  const listed = await deliveries(stage)

  assert.deepEqual(
    listed.map((one) => [one.outcome, one.event, one.can_send_again]),
    [
      ['refused', null, false],
      ['posted', 'push', false],
      ['refused', null, false],
    ],
  )
  assert.equal(listed[0]?.text, 'Webhook signature verification failed.')
  for (const { id } of listed) assert.equal((await again(stage, id)).msg, 'This delivery cannot be sent again')
  assert.equal((await again(stage, 999)).msg, 'No such delivery')
  assert.equal((await posted(stage)).length, 1)
})

test('the log keeps no key, no signature, and no secret of a payload', async () => {
  const stage = await startWithBot()
  const secret = 'hunter2'
  const body = {
    ...push,
    ...{
      secret,
      api_key: secret,
      access_token: secret,
      hook: { config: { Secret: secret, 'client-secret': [secret] } },
    },
    ...{ headers: [['Authorization', secret]], password: 12345678, cookies: { id: secret } },
  }
  const signature = createHmac('sha256', secret).update(JSON.stringify(body)).digest('hex')
  await send(stage, {
    ...{ body, query: { webhook_secret: secret } },
    headers: { 'x-hub-signature-256': `sha256=${signature}`, authorization: '' },
  })
  // Its payload is the query.
  await send(stage, { service: 'zendesk', query: { ticket_id: '1', ticket_title: 'x', message: 'x' }, body: '' })
  await send(stage, {
    service: 'slack',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${secret}&user_name=ada&channel_name=x&text=hi&response_url=https%3A%2F%2Fx.test%2F${secret}`,
  })

  const saved = await rows(stage)

  assert.deepEqual(
    saved.map(({ outcome, content }) => [outcome, content !== null]),
    Array(3).fill(['posted', true]),
  )
  for (const text of [secret, '12345678', stage.bot.apiKey, signature])
    assert.ok(!JSON.stringify(saved).includes(text), text)
  for (const { id } of saved) assert.equal((await again(stage, id))['delivery'].outcome, 'posted')
})

test('a test message is the message of a delivery, marked as a test', async () => {
  const stage = await startWithBot()
  const { ada, bot, channelId } = stage
  const sendTest = (params: Record<string, unknown>) =>
    ada.call(`POST /bots/${bot.id}/webhook_test`, { integration: 'github', ...params })

  const answer = await sendTest({ stream: String(channelId), topic: 'tests' })
  const direct = await sendTest({})

  const messages = await posted(stage)
  assert.deepEqual(
    messages.map(({ id, channelId, topic }) => [id, channelId, topic]),
    [
      [answer['message_id'], channelId, 'tests'],
      [direct['message_id'], null, ''],
    ],
  )
  assert.match(messages[0]?.content ?? '', /PR #42[\s\S]*\n\n\*Test message\*$/)
  const [last] = await deliveries(stage)
  assert.deepEqual([last?.outcome, last?.event, last?.can_send_again], ['posted', 'pull_request', false])
  assert.equal((await sendTest({ stream: 'gone' })).code, 'STREAM_DOES_NOT_EXIST')
  assert.equal((await sendTest({ integration: 'nothing' })).msg, 'No such integration')
})

test('only the owner of a bot and administrators see its log, send again and send tests', async () => {
  const stage = await startWithBot()
  const { chat, ada, bot } = stage
  const [ben, dan] = [await chat.user('ben'), await chat.user('dan', { role: Role.administrator })]
  const generic = await chat.user('generic-bot', { botType: BotType.generic, owner: ada })
  const other = await chat.user('other-bot', { botType: BotType.incomingWebhook, owner: ben })
  await send(stage)
  const [{ id } = assert.fail()] = await deliveries(stage)
  const calls = (ofBot: Person): [string, Record<string, unknown>?][] => [
    [`GET /bots/${ofBot.id}/webhook_deliveries`],
    [`POST /bots/${ofBot.id}/webhook_test`, { integration: 'github' }],
    [`POST /bots/${ofBot.id}/webhook_deliveries/${id}/send_again`],
  ]

  for (const call of calls(bot)) {
    assert.equal((await ben.call(...call)).msg, 'Insufficient permission')
    assert.equal((await dan.call(...call)).status, 200)
  }
  for (const call of calls(ben)) assert.equal((await ada.call(...call)).msg, 'No such bot')
  assert.equal((await ben.call(...(calls(other)[2] ?? assert.fail()))).msg, 'No such delivery')
  for (const call of calls(generic).slice(1))
    assert.equal((await ada.call(...call)).msg, 'This bot is not an incoming webhook')
  await ada.succeed(`DELETE /bots/${bot.id}`)
  const before = (await posted(stage)).length
  for (const call of calls(bot).slice(1)) assert.equal((await ada.call(...call)).msg, 'User is deactivated')
  assert.equal((await posted(stage)).length, before)
  assert.equal((await ada.call(`GET /bots/${bot.id}/webhook_deliveries`)).status, 200)
})

test('sending again keeps to what the bot may do now', async () => {
  const stage = await startWithBot()
  const { chat, ada, channelId } = stage
  await send(stage)
  const [{ id } = assert.fail()] = await deliveries(stage)
  const dan = await chat.user('dan', { role: Role.administrator })
  await dan.succeed(`DELETE /streams/${channelId}`)

  const { delivery } = await again(stage, id)

  assert.equal(delivery.outcome, 'refused')
  assert.equal((await posted(stage)).length, 1)
  assert.deepEqual((await ada.succeed('GET /integrations'))['categories'][0], {
    name: 'version-control',
    title: 'Version control',
  })
})

test('the log keeps the last 200 deliveries, for a week', async () => {
  const stage = await startWithBot()
  const other = { ...stage, bot: await stage.chat.user('two', { botType: BotType.incomingWebhook, owner: stage.ada }) }
  await send(other, { service: 'json', body: {} })
  const sendMany = (count: number) =>
    Promise.all(Array.from({ length: count }, () => send(stage, { query: { only_events: '["none"]' } })))

  await sendMany(190)
  await sendMany(30)
  await send(stage)

  const kept = await rows(stage)
  assert.equal(kept.filter(({ botId }) => botId === stage.bot.id).length, 200)
  assert.equal(kept.at(-1)?.outcome, 'posted')
  await stage.chat.clock.advance(7 * DAY - 3600)
  assert.equal((await rows(stage)).length, 201)
  await stage.chat.clock.advance(2 * 3600)
  assert.deepEqual(await rows(stage), [])
})

test('names of events that no database can store, or of any length, are kept in a safe form', async () => {
  const stage = await startWithBot()

  for (const event of ['\0\ud800', '😀'.repeat(200), '__proto__'])
    await send(stage, { service: 'grafana', body: { alerts: [{ status: event }], '\0': '\ud800' } })
  await send(stage, { service: 'circleci', body: { type: '\0\ud800'.repeat(500) } })
  await send(stage, { query: { topic: '\0', stream: '\ud800' } })

  const listed = await deliveries(stage)
  assert.equal(listed.length, 5)
  for (const { event, text } of listed) {
    assert.ok((event ?? '').length <= 100)
    assert.doesNotMatch(`${event}${text}`, /\0/)
  }
})

test('the catalogue counts connections: bots with a destination', async () => {
  const stage = await startWithBot()
  const { chat, ada, bot } = stage
  const ben = await chat.user('ben')
  const dan = await chat.user('dan', { role: Role.administrator })
  const connections = async (person: Person, name = 'github') =>
    (await person.succeed('GET /integrations'))['integrations'].find((one: { name: string }) => one.name === name)
      .connections
  const queries: Record<string, string>[] = [{}, {}, { topic: 'one' }, { stream: '' }]
  for (const query of queries) await send(stage, { query })
  await send({ ...stage, bot: await chat.user('b2', { botType: BotType.incomingWebhook, owner: ben }) })

  assert.deepEqual([await connections(ada), await connections(ben), await connections(dan)], [3, 1, 4])
  assert.equal(await connections(ada, 'gitlab'), 0)
  const github = await ada.succeed('GET /integrations/github')
  assert.partialDeepStrictEqual(github, {
    ...{ name: 'github', title: 'GitHub', category: 'version-control', kind: 'webhook', connections: 3 },
    ...{ signed: true, page: '/integrations/github', options: [] },
  })
  assert.ok(
    github['events'].some(
      (event: unknown) => JSON.stringify(event) === '{"name":"pull_request","title":"Pull request"}',
    ),
  )
  assert.match(github['steps_html'][0], /^<p>In your repository .*<strong>Settings<\/strong>/)
  assert.match(github['sample'].rendered_content, /<a href="https:\/\/github\.com\/example\/atlas\/pull\/42">/)
  assert.equal((await ada.call('GET /integrations/nothing')).msg, 'No such integration')
  assert.equal((await bot.call('GET /integrations')).status, 401)
})

test('the new owner of a bot cannot send themselves what the former owner received', async () => {
  const stage = await startWithBot()
  const { chat, bot } = stage
  const eve = await chat.user('eve', { role: Role.owner })
  await send(stage, { query: { stream: '' } })

  await eve.succeed(`PATCH /bots/${bot.id}`, { bot_owner_id: eve.id })

  const listed = await deliveries({ ...stage, ada: eve })
  assert.deepEqual([listed[0]?.outcome, listed[0]?.can_send_again], ['posted', false])
  const refused = await again({ ...stage, ada: eve }, listed[0]?.id ?? 0)
  assert.equal(refused.msg, 'This delivery cannot be sent again')
  assert.deepEqual(
    (await rows(stage)).map(({ content }) => content),
    [null],
  )
})
