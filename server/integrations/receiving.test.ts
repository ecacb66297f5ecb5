import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { hashSecret } from '#lib/secrets.ts'
import { BotType } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'

type Stage = { chat: Chat; ada: Person; bot: Person }

async function startWithBot(settings: Parameters<typeof startChat>[0] = {}): Promise<Stage> {
  const chat = await startChat(settings)
  const ada = await chat.user('ada')
  const bot = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada, fullName: 'Build *bot*' })
  await chat.channel('events', [ada])
  return { chat, ada, bot }
}

const push = {
  ref: 'refs/heads/main',
  after: 'a'.repeat(40),
  compare: 'https://github.com/ada/engine/compare/a...b',
  pusher: { name: 'ada' },
  repository: { name: 'engine', private: true },
  commits: [{ id: 'b'.repeat(40), message: 'Fix it\n\nmore', url: 'https://github.com/ada/engine/commit/b' }],
}

type Sent = { service?: string; query?: Record<string, string>; headers?: Record<string, string>; body?: unknown }

async function send({ chat, bot }: Stage, { service = 'github', query = {}, headers = {}, body = push }: Sent = {}) {
  const search = new URLSearchParams({ api_key: bot.apiKey, stream: 'events', ...query })
  const response = await chat.request({
    method: 'POST',
    path: `/api/v1/external/${service}?${search}`,
    headers: { host: 'parley.test', 'content-type': 'application/json', 'x-github-event': 'push', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return { status: response.status, text: response.body, ...(isJson ? JSON.parse(response.body) : {}) }
}

async function messages({ chat }: Stage) {
  return chat.app.services.db
    .selectFrom('messages')
    .innerJoin('users', 'users.id', 'messages.senderId')
    .select(['topic', 'content', 'channelId', 'fullName'])
    .orderBy('messages.id')
    .execute()
}

test('a bot sends the message of a delivery to the channel of the URL', async () => {
  const stage = await startWithBot()

  assert.deepEqual(await send(stage), {
    status: 200,
    result: 'success',
    msg: '',
    text: '{"result":"success","msg":""}\n',
  })

  const [{ topic, content, fullName } = assert.fail()] = await messages(stage)
  assert.deepEqual([topic, fullName], ['engine / main', 'Build *bot*'])
  assert.equal(
    content,
    'ada [pushed](https://github.com/ada/engine/compare/a...b) 1 commit to main.\n\n* [bbbbbbbbbbb](https://github.com/ada/engine/commit/b) Fix it',
  )
})

test('a delivery makes at most 30 messages, of the first events that the URL does not leave out', async () => {
  const stage = await startWithBot()
  const alerts = Array.from({ length: 33 }, (_, at) => ({
    status: at === 0 ? 'resolved' : 'firing',
    labels: { alertname: `alert ${at}` },
    annotations: {},
    fingerprint: String(at),
  }))

  await send(stage, {
    service: 'grafana',
    query: { exclude_events: '["resolved"]' },
    body: { title: 'Alerts', alerts },
  })

  const topics = (await messages(stage)).map(({ topic }) => topic)
  assert.deepEqual(
    topics,
    Array.from({ length: 30 }, (_, at) => `[alert ${at + 1}]`),
  )
})

test('the channel may be an id, and the topic may be in the URL', async () => {
  const stage = await startWithBot()
  const channel = await stage.chat.channel('more', [stage.ada])

  await send(stage, { query: { stream: String(channel.id), topic: 'All\nof it' } })

  const [message] = await messages(stage)
  assert.deepEqual([message?.channelId, message?.topic], [channel.id, 'All of it'])
})

test('without a channel, the owner of the bot gets a direct message', async () => {
  const stage = await startWithBot()

  await send(stage, { query: { stream: '' } })

  const events = await stage.chat.eventsOf(stage.ada)
  const message = events.find(({ type }) => type === 'message')?.['message'] as { type: string; content: string }
  assert.equal(message.type, 'private')
  assert.match(message.content, /pushed/)
})

test('a form with the JSON in payload is read, too', async () => {
  const stage = await startWithBot()

  const { status } = await send(stage, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ payload: JSON.stringify(push), method: 'GET' }).toString(),
  })

  assert.equal(status, 200)
  assert.equal((await messages(stage)).length, 1)
})

test('the Authorization header may have the key, with an address whose @ is escaped as in a URL', async () => {
  const { chat, bot } = await startWithBot()
  const receive = async (email: string, path = '/api/v1/external/json?stream=events') => {
    const authorization = `Basic ${Buffer.from(`${email}:${bot.apiKey}`).toString('base64')}`
    const { status } = await chat.request({
      method: 'POST',
      path,
      headers: { host: 'parley.test', authorization },
      body: '{}',
    })
    return status
  }

  assert.equal(await receive(bot.email), 200)
  assert.equal(await receive(bot.email.replace('@', '%40')), 200)
  assert.equal(await receive(`other-${bot.email}`.replace('@', '%40')), 401)
  assert.equal(await receive(bot.email.replace('@', '%40'), '/api/v1/users/me/presence'), 401)
})

for (const [query, count] of [
  [{ only_events: '["push"]' }, 1],
  [{ only_events: '["pu*"]' }, 1],
  [{ only_events: '["issues", "*_request"]' }, 0],
  [{ exclude_events: '["push"]' }, 0],
  [{ exclude_events: '["*"]' }, 0],
  [{ exclude_events: '["pull*"]' }, 1],
  [{ branches: 'main, develop' }, 1],
  [{ branches: 'develop' }, 0],
  [{ ignore_private_repositories: 'true' }, 0],
  [{ ignore_private_repositories: 'false' }, 1],
] as [Record<string, string>, number][])
  test(`a push makes ${count} messages with ${JSON.stringify(query)}`, async () => {
    const stage = await startWithBot()

    assert.equal((await send(stage, { query })).status, 200)

    assert.equal((await messages(stage)).length, count)
  })

test('an event that an integration does not know is ignored, and the response says so', async () => {
  const stage = await startWithBot()

  const { text, ...response } = await send(stage, { headers: { 'x-github-event': 'new_thing' } })

  assert.deepEqual(response, {
    status: 200,
    result: 'success',
    msg: "The 'new_thing' event isn't currently supported by the GitHub webhook; ignoring",
    webhook_name: 'GitHub',
    event_type: 'new_thing',
    code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
  })
  assert.deepEqual(await messages(stage), [])
})

test('a delivery without the header of its event is refused, and the owner is told once an hour', async () => {
  const stage = await startWithBot()
  const { chat, bot } = stage
  const sendWithout = () =>
    chat.request({
      method: 'POST',
      path: `/api/v1/external/github?api_key=${bot.apiKey}`,
      headers: { host: 'parley.test', 'content-type': 'application/json' },
      body: '{}',
    })

  const response = await sendWithout()
  await sendWithout()

  assert.equal(response.status, 400)
  assert.deepEqual(JSON.parse(response.body), {
    result: 'error',
    msg: "Missing the HTTP event header 'X-GitHub-Event'",
    header: 'X-GitHub-Event',
    code: 'MISSING_HTTP_EVENT_HEADER',
  })
  assert.deepEqual(
    (await messages(stage)).map(({ fullName, content }) => [fullName, content.slice(0, 90)]),
    [
      [
        'Notification Bot',
        'A request to your bot `Build *bot*` for GitHub lacks the header `X-GitHub-Event`, so no me',
      ],
    ],
  )
  await chat.clock.advance(3600)
  await sendWithout()
  assert.equal((await messages(stage)).length, 2)
})

test('malformed JSON and unexpected payloads are refused, and the owner is told about each', async () => {
  const stage = await startWithBot()

  const malformed = await send(stage, { body: '{"secret": "hunter2"' })
  const unexpected = await send(stage, { body: { ref: 5, secret: 'hunter2' } })

  assert.deepEqual([malformed.status, malformed.code, malformed.msg], [400, 'INVALID_JSON', 'Malformed JSON'])
  assert.deepEqual(
    [unexpected.status, unexpected.code, unexpected['webhook_name']],
    [400, 'ANOMALOUS_WEBHOOK_PAYLOAD', 'GitHub'],
  )
  const notices = await messages(stage)
  assert.equal(notices.length, 2)
  for (const { content } of notices) assert.doesNotMatch(content, /hunter2/)
})

test('the owner is told about a channel that does not exist, and the response is successful', async () => {
  const stage = await startWithBot()

  for (const stream of ['gone`', '99999', 'gone']) assert.equal((await send(stage, { query: { stream } })).status, 200)

  const notices = await messages(stage)
  assert.equal(notices.length, 1)
  assert.match(notices[0]?.content ?? '', /to the channel ``gone```?, which does not exist|to the channel/)
})

test('wrong keys, keys of others, and unknown services are refused', async () => {
  const stage = await startWithBot()
  const { chat, ada } = stage
  const generic = await chat.user('generic-bot', { botType: BotType.generic, owner: ada })

  for (const [key, status, code] of [
    ['x'.repeat(32), 401, 'INVALID_API_KEY'],
    ['short', 401, 'INVALID_API_KEY'],
    ['', 401, 'INVALID_API_KEY'],
    [ada.apiKey, 401, 'UNAUTHORIZED'],
    [generic.apiKey, 401, 'UNAUTHORIZED'],
  ] as const) {
    const response = await send(stage, { query: { api_key: key } })
    assert.deepEqual([response.status, response.code], [status, code], key)
  }
  const mistyped = await send(stage, { service: 'gihub' })
  assert.deepEqual([mistyped.status, mistyped.msg], [404, "There is no integration 'gihub'. /integrations lists all"])
  assert.deepEqual(await messages(stage), [])
})

test('the hash of a key is not accepted as a credential, even after the key was used in a URL', async () => {
  const stage = await startWithBot()
  await send(stage)

  for (const path of ['external/helloworld', 'users/me']) {
    const headers = { host: 'parley.test', authorization: hashSecret(stage.bot.apiKey) }
    const { status } = await stage.chat.request({ method: 'GET', path: `/api/v1/${path}`, headers })
    assert.equal(status, 401, path)
  }
})

test('text that begins a message is no command, even where a service does not escape it', async () => {
  const stage = await startWithBot()

  await send(stage, { service: 'slack_incoming', body: { text: '</poll Which?> or' } })
  await send(stage, { service: 'errbit', body: { problem: { error_class: '/me waves', app_name: 'x', url: '' } } })

  const contents = (await messages(stage)).map(({ content }) => content)
  assert.ok(contents.length > 0)
  for (const content of contents) assert.match(content, /^&#47;(?:poll Which\?|me waves)/)
})

test('a list of hundreds of thousands of values is refused, and names of built-in properties are no labels', async () => {
  const stage = await startWithBot()
  const alerts = [{ status: 'firing', labels: {}, annotations: {} }]

  const long = await send(stage, {
    service: 'grafana',
    body: `{"state":"ok","evalMatches":[{}${',{}'.repeat(300_000)}]}`,
  })
  const odd = await send(stage, { service: 'alertmanager', query: { name: 'constructor' }, body: { alerts } })

  assert.deepEqual([long.status, long.code, odd.status], [400, 'INVALID_JSON', 200])
  assert.equal((await messages(stage)).at(-1)?.topic, '(unknown)')
})

test('services get the responses that they expect', async () => {
  const stage = await startWithBot()

  const slack = await send(stage, { service: 'slack', body: { type: 'url_verification', challenge: 'abc' } })
  const sign = await send(stage, { service: 'hellosign', body: { event: { event_type: 'callback_test' } } })

  const zapier = await send(stage, { service: 'zapier', body: { type: 'auth' } })

  assert.deepEqual([slack.status, slack.result, slack.challenge], [200, 'success', 'abc'])
  assert.deepEqual([zapier.full_name, zapier.id], ['Build *bot*', stage.bot.id])
  assert.match(zapier.email, /@/)
  assert.deepEqual([sign.status, sign.text], [200, 'Hello API Event Received'])
  assert.deepEqual(await messages(stage), [])
})

test('Jotform sends its fields as parts of a multipart body', async () => {
  const stage = await startWithBot()
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const body = `${part('formTitle', 'Maps')}${part('pretty', 'Scale:1:25000, Color:Blue')}${part('rawRequest', '{}')}--b--\r\n`

  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  assert.equal((await send(stage, { service: 'jotform', headers, body })).status, 200)

  const [message] = await messages(stage)
  assert.deepEqual(
    [message?.topic, message?.content],
    ['Maps', 'There is a new submission:\n* **Scale**: 1:25000\n* **Color**: Blue'],
  )
})

test('Jira may escape the channel and the topic of the URL once more', async () => {
  const stage = await startWithBot()
  const channel = await stage.chat.channel('jira alerts', [stage.ada])
  const issue = { key: 'MAP-1', fields: { summary: 'Gaps' } }
  const jira = (query: Record<string, string>) =>
    send(stage, { service: 'jira', query, body: { webhookEvent: 'jira:issue_deleted', issue } })

  for (const stream of ['jira alerts', 'jira%20alerts', '100%']) await jira({ stream, topic: '50%25 of%20it' })

  const [one, other, notice] = await messages(stage)
  for (const sent of [one, other]) assert.deepEqual([sent?.channelId, sent?.topic], [channel.id, '50% of it'])
  assert.match(notice?.content ?? '', /to the channel .100%., which does not exist/)
})

test('messages of Slack go to a topic for each channel, or to the channel of the same name', async () => {
  const stage = await startWithBot()
  const maps = await stage.chat.channel('maps', [stage.ada])
  const copy = (option: string, channel: string) =>
    send(stage, {
      service: 'slack',
      query: { channels_map_to_topics: option },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: 'x', user_name: 'ada', channel_name: channel, text: 'Hi' }).toString(),
    })

  const answers = [await copy('1', 'maps'), await copy('0', 'maps'), await copy('0', String(maps.id))]
  const wrong = await copy('yes', 'maps')

  assert.deepEqual(
    (await messages(stage)).slice(0, 2).map(({ topic, channelId }) => [topic, channelId === maps.id]),
    [
      ['channel: maps', false],
      ['Message from Slack', true],
    ],
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const notice = (await messages(stage)).at(-1)
  assert.match(notice?.content ?? '', new RegExp(`to the channel .${maps.id}., which does not exist`))
  assert.deepEqual([wrong.status, wrong.msg], [400, "Invalid value of the parameter 'channels_map_to_topics'"])
})

test('Dialogflow can answer a person by direct messages', async () => {
  const stage = await startWithBot()
  const bea = await stage.chat.user('bea')
  const body = { queryResult: { fulfillmentText: 'At four' } }

  const sent = await send(stage, { service: 'dialogflow', query: { stream: '', email: bea.email }, body })
  const unknown = await send(stage, { service: 'dialogflow', query: { stream: '', email: 'nobody@x.example' }, body })

  assert.deepEqual([sent.status, unknown.status, unknown.msg], [200, 400, "Invalid email 'nobody@x.example'"])
  const events = await stage.chat.eventsOf(bea)
  const message = events.find(({ type }) => type === 'message')?.['message'] as { type: string; content: string }
  assert.deepEqual([message.type, message.content], ['private', 'At four'])
})

test('a field of a foreign form does not replace the channel, the topic or the branches of the URL', async () => {
  const stage = await startWithBot()
  const fields = { payload: JSON.stringify(push), stream: 'elsewhere', topic: 'foreign', branches: 'none' }

  const { status } = await send(stage, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })

  assert.equal(status, 200)
  assert.equal((await messages(stage))[0]?.topic, 'engine / main')
})

test('a request without a key is refused', async () => {
  const { chat } = await startWithBot()

  const response = await chat.request({
    method: 'POST',
    path: '/api/v1/external/github',
    headers: { host: 'parley.test' },
    body: '{}',
  })

  assert.deepEqual([response.status, JSON.parse(response.body).var_name], [400, 'api_key'])
})

test('a deactivated bot and a bot of another organization post nothing', async () => {
  const stage = await startWithBot()
  const { chat, ada, bot } = stage
  await chat.organization('other')
  const elsewhere = await chat.request({
    method: 'POST',
    path: `/api/v1/external/json?api_key=${bot.apiKey}`,
    headers: { host: 'other.parley.test' },
    body: '{}',
  })

  assert.equal(elsewhere.status, 401)
  await ada.succeed(`DELETE /bots/${bot.id}`)
  assert.equal((await send(stage)).status, 401)
  assert.deepEqual(
    (await messages(stage)).filter(({ fullName }) => fullName === 'Build *bot*'),
    [],
  )
})

test('requests beyond the rate limit are refused before the payload is read', async () => {
  const stage = await startWithBot({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 2]] } })

  await send(stage)
  await send(stage)
  const { status } = await send(stage, { body: '{' })

  assert.equal(status, 429)
  assert.equal((await messages(stage)).length, 2)
})

const signed = (secret: string) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(JSON.stringify(push)).digest('hex')}`,
})

test('once a secret is set, only signed deliveries are accepted', async () => {
  const stage = await startWithBot()
  const { ada, bot } = stage
  await ada.succeed(`PUT /bots/${bot.id}/webhook_secrets/github`, { secret: 'hunter2' })

  const refused = [await send(stage), await send(stage, { headers: signed('hunter3') })]
  const accepted = await send(stage, { headers: signed('hunter2') })

  for (const { status, msg } of refused)
    assert.deepEqual([status, msg], [400, 'Webhook signature verification failed.'])
  assert.equal(accepted.status, 200)
  assert.equal((await messages(stage)).length, 1)
  assert.deepEqual((await ada.succeed(`GET /bots/${bot.id}/webhook_secrets`))['integrations'], ['github'])
  await ada.succeed(`PUT /bots/${bot.id}/webhook_secrets/github`, { secret: '' })
  assert.equal((await send(stage)).status, 200)
})

test('the secret may be in the URL, as on the reference server', async () => {
  const stage = await startWithBot()
  const query = { webhook_secret: 'hunter2' }

  assert.equal((await send(stage, { query })).status, 400)
  assert.equal((await send(stage, { query, headers: signed('hunter2') })).status, 200)
})

test('only those who may change a bot set its secrets, and only for services that sign', async () => {
  const { chat, ada, bot } = await startWithBot()
  const ben = await chat.user('ben')

  assert.equal(
    (await ben.call(`PUT /bots/${bot.id}/webhook_secrets/github`, { secret: 'x' })).msg,
    'Insufficient permission',
  )
  assert.equal((await ben.call(`GET /bots/${bot.id}/webhook_secrets`)).msg, 'Insufficient permission')
  assert.equal((await ada.call(`PUT /bots/${bot.id}/webhook_secrets/json`, { secret: 'x' })).status, 400)
  assert.equal((await ada.call(`PUT /bots/${ben.id}/webhook_secrets/github`, { secret: 'x' })).msg, 'No such bot')
})

test('programs that post to Slack get its responses', async () => {
  const stage = await startWithBot()
  const post = (sent: Sent) => send(stage, { service: 'slack_incoming', ...sent })

  assert.deepEqual(await post({ body: { text: '*Done*' } }), { status: 200, text: 'ok' })
  assert.deepEqual(await post({ body: 'nonsense' }), { status: 400, text: 'invalid_payload' })
  assert.deepEqual(await post({ query: { api_key: 'x'.repeat(32) } }), { status: 401, text: 'invalid_token' })
  assert.deepEqual(await post({ query: { stream: 'gone' }, body: { text: 'x' } }), {
    status: 404,
    text: 'channel_not_found',
  })
  for (const body of [{}, { text: '' }, { blocks: [{ type: 'from the future' }] }])
    assert.deepEqual(await post({ body }), { status: 400, text: 'no_text' })
  assert.deepEqual(await post({ body: { attachments: [{ title: null, ts: null }] } }), { status: 200, text: 'ok' })
  assert.equal((await messages(stage))[0]?.content, '**Done**')
})

test('elements of a rich text of Slack that follow each other mention nobody', async () => {
  const stage = await startWithBot()
  const bold = (text: string) => ({ type: 'text', text, style: { bold: true } })
  const before = [
    ...['@', '@_', '#', '['].map((text) => ({ type: 'text', text })),
    ...[{ type: 'user' }, { type: 'broadcast' }, { type: 'channel' }],
  ]
  const elements = before.flatMap((one) => [one, bold('all'), { type: 'text', text: ' ' }])

  await send(stage, {
    service: 'slack_incoming',
    body: { blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }] },
  })

  assert.doesNotMatch((await messages(stage))[0]?.content ?? assert.fail(), /[@#]_?\*\*/)
})

test('blocks of Slack keep their texts, spaces, styles, links and buttons', async () => {
  const stage = await startWithBot()
  const text = (words: string) => ({ type: 'mrkdwn', text: words })
  const open = { type: 'button', text: { type: 'plain_text', text: 'Open build' }, url: 'https://ci.example/7' }
  const rich = {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'It is ' },
          { type: 'text', text: 'bold', style: { bold: true } },
          { type: 'text', text: ' and ' },
          { type: 'link', url: 'https://a.example', text: 'linked' },
          { type: 'text', text: ' @**all**' },
        ],
      },
      { type: 'rich_text_quote', elements: [{ type: 'text', text: 'said' }] },
      { type: 'rich_text_list', style: 'ordered', elements: ['one', 'two'].map((text) => ({ type: 'text', text })) },
    ],
  }
  const section = { type: 'section', text: text('Approve?'), accessory: open }
  const posted: unknown[] = [
    { blocks: [{ type: 'context', elements: [text('*Build* 7'), { type: 'plain_text', text: 'by ada' }] }] },
    { blocks: [section, { type: 'actions', elements: [open, { type: 'button', text: 'Only in Slack' }] }] },
    { blocks: [rich] },
    { text: 'before\n&gt; quoted *here*\nafter' },
    { attachments: [{ text: 'Failed', actions: [{ type: 'button', text: 'Logs', url: 'https://ci.example/logs' }] }] },
  ]

  for (const body of posted) await send(stage, { service: 'slack_incoming', body })

  assert.deepEqual(
    (await messages(stage)).map(({ content }) => content),
    [
      '**Build** 7 | by ada',
      'Approve?\n\n[Open build](https://ci.example/7)\n\n[Open build](https://ci.example/7)',
      'It is **bold** and [linked](https://a.example) @&#42;&#42;all&#42;&#42;\n\n``` quote\nsaid\n```\n\n1. one\n2. two',
      'before\n\n``` quote\nquoted **here**\n```\n\nafter',
      'Failed\n\n[Logs](https://ci.example/logs)',
    ],
  )
})

test('a service may check the URL before it uses it', async () => {
  const { chat, bot } = await startWithBot()
  const get = (method: string, query: string) =>
    chat.request({ method, path: `/api/v1/external/github?${query}`, headers: { host: 'parley.test' } })

  assert.equal((await get('HEAD', `api_key=${bot.apiKey}`)).status, 200)
  assert.equal((await get('GET', `api_key=${bot.apiKey}&challenge=abc`)).body, 'abc')
  assert.equal((await get('GET', 'api_key=x')).status, 401)
})
