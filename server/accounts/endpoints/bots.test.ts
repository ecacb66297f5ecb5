import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_API_KEYS } from '#people/api-keys.ts'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'

const robo = { full_name: 'Robo', short_name: 'robo' }

test('a bot belongs to its creator, and its API key is returned once', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')

  const created = await ben.succeed('POST /bots', robo)

  assert.match(created['api_key'], /^[A-Za-z0-9]{32}$/)
  const authorization = `Basic ${Buffer.from(`robo-bot@parley.test:${created['api_key']}`).toString('base64')}`
  const own = await ben.call('GET /users/me', {}, { authorization })
  assert.partialDeepStrictEqual(own, {
    status: 200,
    user_id: created['user_id'],
    is_bot: true,
    bot_type: BotType.generic,
    bot_owner_id: ben.id,
    email: 'robo-bot@parley.test',
  })
  const { bots } = await ben.succeed('GET /bots')
  assert.partialDeepStrictEqual(bots, [
    { user_id: created['user_id'], username: 'robo-bot@parley.test', owner_id: ben.id },
  ])
  assert(!JSON.stringify([bots, await chat.eventsOf(ben)]).includes(created['api_key']))

  const kinds = async (person: typeof ada) => (await chat.eventsOf(person)).map((event) => event.type)
  assert((await kinds(cleo)).includes('realm_user'))
  assert(!(await kinds(cleo)).includes('realm_bot'))
  for (const manager of [ada, ben]) assert((await kinds(manager)).includes('realm_bot'))
  assert.deepEqual((await cleo.succeed('GET /bots'))['bots'], [])
})

test('guests and bots cannot create bots', async () => {
  const chat = await startChat()
  const gus = await chat.user('gus', { role: Role.guest })
  const ben = await chat.user('ben')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })

  assert.equal((await gus.call('POST /bots', robo)).msg, 'Not allowed for guest users')
  assert.equal((await bot.call('POST /bots', robo)).msg, 'This endpoint does not accept bot requests.')
})

test('settings decide whether members can create all types of bots, only incoming webhooks, or none', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await chat.change({ can_create_bots_group: 'role:administrators' })

  const generic = await ben.call('POST /bots', robo)
  const webhook = await ben.call('POST /bots', { ...robo, bot_type: BotType.incomingWebhook })
  await chat.change({ can_create_write_only_bots_group: 'role:nobody' })
  const another = await ben.call('POST /bots', { full_name: 'Hook', short_name: 'hook', bot_type: 2 })
  const byAdmin = await ada.call('POST /bots', { full_name: 'Any', short_name: 'any' })
  await ada.succeed(`DELETE /bots/${byAdmin['user_id']}`)
  await chat.change({ can_create_bots_group: 'role:nobody' })
  const byNobody = await ada.call('POST /bots', { full_name: 'More', short_name: 'more' })
  const backByNobody = await ada.call(`POST /users/${byAdmin['user_id']}/reactivate`)

  assert.deepEqual(
    [generic.msg, webhook.msg, another.msg, byAdmin.msg, byNobody.msg, backByNobody.msg],
    [
      'Insufficient permission',
      '',
      'Insufficient permission',
      '',
      'Insufficient permission',
      'Insufficient permission',
    ],
  )
})

for (const [given, problem] of [
  [{ bot_type: 4 }, 'Embedded bots are not enabled.'],
  [{ bot_type: 9 }, 'Invalid bot type'],
  [{ bot_type: 3 }, 'payload_url is not a URL'],
  [{ bot_type: 3, payload_url: 'javascript:alert(1)' }, 'payload_url is not a URL'],
  [{ bot_type: 3, payload_url: '"' }, 'payload_url is not a URL'],
  [{ bot_type: 3, payload_url: 'https://example.org', interface_type: 7 }, 'Invalid interface type'],
  [{ short_name: 'my bot' }, 'Bad name or username'],
  [{ short_name: ' ' }, 'Bad name or username'],
  [{ short_name: 'taken' }, 'Username already in use'],
  [{ full_name: '' }, 'Name too short!'],
  [{ full_name: 'Ben' }, 'Name is already in use.'],
] as const) {
  test(`no bot is created with ${JSON.stringify(given)}`, async () => {
    const chat = await startChat()
    const ben = await chat.user('ben')
    await chat.user('taken', { email: 'Taken-bot@parley.test' })

    const response = await ben.call('POST /bots', { ...robo, ...given })

    assert.partialDeepStrictEqual(response, { status: 400, code: 'BAD_REQUEST', msg: problem })
    assert.deepEqual(await chat.eventsOf(ben), [])
  })
}

test('the URL of an outgoing webhook can be changed', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { user_id } = await ben.succeed('POST /bots', { ...robo, bot_type: 3, payload_url: '"https://example.org/a"' })

  const changed = await ben.succeed(`PATCH /bots/${user_id}`, {
    service_payload_url: 'https://example.org/b',
    service_interface: 2,
  })

  assert.partialDeepStrictEqual(changed, {
    service_payload_url: 'https://example.org/b',
    service_interface: 2,
    bot_owner: 'ben@example.com',
  })
  const { bots } = await ben.succeed('GET /bots')
  const [{ token }] = bots[0].services
  assert.match(token, /^[A-Za-z0-9]{32}$/)
  assert.deepEqual(bots[0].services, [{ base_url: 'https://example.org/b', interface: 2, token }])
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'realm_bot',
    op: 'update',
    bot: { user_id, services: [{ base_url: 'https://example.org/b', interface: 2, token }] },
  })
})

test('owners and administrators can change a bot, and only administrators its role', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const own = await chat.user('helper', { botType: BotType.generic, owner: ada })

  const responses = [
    await cleo.call(`PATCH /bots/${bot.id}`, { full_name: 'Mine' }),
    await ben.call(`PATCH /bots/${bot.id}`, { role: Role.administrator }),
    await ben.call(`PATCH /bots/${bot.id}`, { full_name: 'Cleo' }),
    await ben.call(`PATCH /bots/${ben.id}`, { full_name: 'Bot' }),
    await ben.call('PATCH /bots/99999', { full_name: 'Bot' }),
    await ada.call(`PATCH /bots/${bot.id}`, { role: Role.owner }),
    await ada.call(`PATCH /bots/${bot.id}`, { role: Role.moderator }),
    await ada.call(`PATCH /bots/${own.id}`, { role: Role.moderator }),
    await ada.call(`PATCH /bots/${bot.id}`, { role: Role.guest }),
    await ben.call(`PATCH /bots/${bot.id}`, { full_name: 'Robert' }),
  ]

  assert.deepEqual(
    responses.map((response) => response.msg),
    [
      'Insufficient permission',
      'Must be an organization administrator',
      'Name is already in use.',
      'No such bot',
      'No such bot',
      'Must be an organization owner',
      'A bot cannot have a higher role than its owner.',
      '',
      '',
      '',
    ],
  )
  const { user } = await cleo.succeed(`GET /users/${bot.id}`)
  assert.partialDeepStrictEqual(user, { full_name: 'Robert', role: 600 })
})

test('a bot gets a new owner and disappears for the old one', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })

  const response = await ben.succeed(`PATCH /bots/${bot.id}`, { bot_owner_id: cleo.id })

  assert.equal(response['bot_owner'], 'cleo@example.com')
  const events = async (person: typeof ada) =>
    (await chat.eventsOf(person)).map((event) => [event.type, event['op'], event['bot'] ?? event['person']])
  const toAll = ['realm_user', 'update', { user_id: bot.id, bot_owner_id: cleo.id }]
  const update = ['realm_bot', 'update', { user_id: bot.id, owner_id: cleo.id }]
  assert.deepEqual(await events(ben), [['realm_bot', 'delete', { user_id: bot.id }], toAll])
  assert.deepEqual(await events(ada), [update, toAll])
  assert.partialDeepStrictEqual(await events(cleo), [
    ['realm_bot', 'add', { user_id: bot.id, owner_id: cleo.id, email: 'robo@example.com' }],
    update,
    toAll,
  ])
  assert.equal((await ben.call(`DELETE /bots/${bot.id}`)).msg, 'Insufficient permission')
})

test('a new owner of a bot makes its keys invalid, and its owner gets an email unless they changed it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const subjects = async () => (await chat.mail()).splice(0).map(({ to, subject }) => [to[0], subject])

  await ben.succeed(`PATCH /bots/${bot.id}`, { bot_owner_id: cleo.id })
  const byOwner = (await bot.call('GET /users/me')).status
  await cleo.succeed(`POST /bots/${bot.id}/api_key/regenerate`)
  const none = await subjects()
  const { api_key } = await ada.succeed(`POST /bots/${bot.id}/api_key/regenerate`)
  await ada.succeed(`PATCH /bots/${bot.id}`, { bot_owner_id: ada.id })
  const authorization = `Basic ${Buffer.from(`robo@example.com:${api_key}`).toString('base64')}`
  const byAdmin = await ada.call('GET /users/me', {}, { authorization })

  assert.deepEqual([byOwner, byAdmin.status, none], [401, 401, []])
  assert.deepEqual(await subjects(), [
    ['cleo@example.com', 'New API key for your bot Robo at Example'],
    ['cleo@example.com', 'Your bot Robo at Example has a new owner'],
  ])
})

test('an email tells the owner about a new bot, and about a new URL that someone else sets', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const hook = { bot_type: BotType.outgoingWebhook, payload_url: 'https://example.org/a' }

  const { user_id } = await ben.succeed('POST /bots', { ...robo, ...hook })
  await ben.succeed(`PATCH /bots/${user_id}`, { service_payload_url: 'https://example.org/b' })
  await ada.succeed(`PATCH /bots/${user_id}`, { service_payload_url: 'https://example.org/c' })

  const mail = await chat.mail()
  assert.deepEqual(
    mail.map(({ to, subject }) => [to[0], subject]),
    [
      ['ben@example.com', 'New bot Robo at Example'],
      ['ben@example.com', 'New endpoint URL for your bot Robo at Example'],
    ],
  )
  assert.match(mail[0]?.text ?? '', /If this was not you.*\/accounts\/password\/reset\//s)
  assert.match(mail[1]?.text ?? '', /^Ada changed the URL/m)
})

test('the owner of a bot must be an active person of the organization', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const gone = await chat.user('gone')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await gone.succeed('DELETE /users/me')

  const responses = []
  for (const owner of [bot.id, gone.id, eve.id])
    responses.push((await ben.call(`PATCH /bots/${bot.id}`, { bot_owner_id: owner })).msg)

  assert.deepEqual(responses, [
    "Failed to change owner, bots can't own other bots",
    'Failed to change owner, user is deactivated',
    'Failed to change owner, no such user',
  ])
})

test('a bot gets a new API key, and the old one stops working', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })

  const refused = await cleo.call(`POST /bots/${bot.id}/api_key/regenerate`)
  const { api_key } = await ben.succeed(`POST /bots/${bot.id}/api_key/regenerate`)

  assert.equal(refused.msg, 'Insufficient permission')
  assert.equal((await bot.call('GET /users/me')).msg, 'Invalid API key')
  const authorization = `Basic ${Buffer.from(`robo@example.com:${api_key}`).toString('base64')}`
  assert.equal((await bot.call('GET /users/me', {}, { authorization })).status, 200)
})

test('a bot gets further API keys up to a limit, and an email tells the owner about those of someone else', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const { user_id, api_key: first } = await ben.succeed('POST /bots', robo)
  const add = (person = ben) => person.call(`POST /bots/${user_id}/api_keys`)
  const works = async (key: string) => {
    const authorization = `Basic ${Buffer.from(`robo-bot@parley.test:${key}`).toString('base64')}`
    return (await ben.call('GET /users/me', {}, { authorization })).status === 200
  }

  const refused = await add(cleo)
  const second = await add()
  const third = await add(ada)
  for (let count = 3; count < MAX_API_KEYS; count += 1) await add()
  const tooMany = await add()
  await ben.succeed(`DELETE /bots/${user_id}`)
  const ofDeactivated = await add()
  await ben.succeed(`POST /users/${user_id}/reactivate`)
  const mail = (await chat.mail()).map(({ to, subject, text }) => [to[0], subject, /still work/.test(text)])

  assert.equal(refused.msg, 'Insufficient permission')
  assert.deepEqual(mail, [
    ['ben@example.com', 'New bot Robo at Example', false],
    ['ben@example.com', 'New API key for your bot Robo at Example', true],
  ])
  assert.equal(tooMany.msg, 'This bot already has 20 API keys. Replace its keys, or use another bot.')
  assert.equal(ofDeactivated.msg, 'User is deactivated')
  const keys = [first, second['api_key'], third['api_key']] as string[]
  assert.deepEqual(await Promise.all(keys.map(works)), [true, true, true])
})

test('replacing the API key of an outgoing webhook also replaces its token, and its managers get the event', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const { user_id } = await ben.succeed('POST /bots', { ...robo, bot_type: 3, payload_url: 'https://example.org/a' })
  const serviceOf = async () => (await ben.succeed('GET /bots'))['bots'][0].services[0]
  const before = await serviceOf()

  await ben.succeed(`POST /bots/${user_id}/api_key/regenerate`)

  const after = await serviceOf()
  assert.notEqual(after.token, before.token)
  assert.deepEqual({ ...after, token: before.token }, before)
  for (const manager of [ada, ben])
    assert.deepEqual((await chat.eventsOf(manager)).at(-1), {
      type: 'realm_bot',
      op: 'update',
      bot: { user_id, services: [after] },
    })
})

test('a bot can be deactivated once', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('robo', { botType: BotType.generic, owner: ben })

  const first = await ben.call(`DELETE /bots/${bot.id}`)
  const second = await ben.call(`DELETE /bots/${bot.id}`)

  assert.deepEqual([first.msg, second.msg], ['', 'User is deactivated'])
  assert.deepEqual((await ben.succeed('GET /bots'))['bots'], [])
})
