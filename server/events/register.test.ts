import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { advanceCounter } from '#storage/counters.ts'
import { onPostgres } from '../../test/database.ts'
import { type Body, type Chat, type Person, startChat } from '../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../test/messages.ts'
import { MAX_REGISTRATION_LENGTH } from './queues/event-queue.ts'

type Heard = { id: number; type: string; message: { id: number; content: string } }

/** Returns the events of a poll that does not block. */
async function poll(person: Person, { queue_id, last_event_id }: Body): Promise<Heard[]> {
  return (await person.succeed('GET /events', { queue_id, last_event_id, dont_block: true }))['events']
}

async function setting(): Promise<{ chat: Chat; ada: Person; ben: Person; design: { id: number; name: string } }> {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

test('a queue starts after the last event, at -1 in an empty log', async () => {
  const { ada, ben, design } = await setting()

  const first = await ben.succeed('POST /register')
  await sendToChannel(ada, design, 'one')
  const second = await ben.succeed('POST /register')
  await sendToChannel(ada, design, 'two')

  assert.equal(first['last_event_id'], -1)
  const contents = (events: Heard[]) =>
    events.filter(({ type }) => type === 'message').map((event) => event.message.content)
  assert.deepEqual(contents(await poll(ben, first)), ['one', 'two'])
  assert.deepEqual(contents(await poll(ben, second)), ['two'])
  assert.deepEqual(
    (await poll(ben, second)).filter(({ id }) => id <= second['last_event_id']),
    [],
  )
})

test('each message that is sent while a client registers is either in the state or among the events', async () => {
  const { ada, ben, design } = await setting()

  const [sent, ...states] = await Promise.all([
    Promise.all(Array.from({ length: 12 }, (_, number) => sendToChannel(ada, design, `${number}`))),
    ...Array.from({ length: 6 }, () => ben.succeed('POST /register')),
    new Promise<Body>((resolve) => setImmediate(() => resolve(ben.succeed('POST /register')))),
  ])

  for (const state of states) {
    const inState = state['unread_msgs'].streams.flatMap(
      (topic: { unread_message_ids: number[] }) => topic.unread_message_ids,
    )
    const events = (await poll(ben, state)).filter(({ type }) => type === 'message')
    const received = events.map((event) => event.message.id)
    assert.deepEqual(
      [...inState, ...received],
      sent.toSorted((one, other) => one - other),
    )
    assert.equal(state['max_message_id'], inState.at(-1) ?? -1)
  }
})

test('an open transaction that emits does not keep clients from registering', { skip: !onPostgres }, async () => {
  const { chat, ada, ben, design } = await setting()
  await sendToChannel(ada, design, 'before')
  const { promise: isDone, resolve: finish } = Promise.withResolvers<void>()
  const { promise: isLocked, resolve: noteLocked } = Promise.withResolvers<void>()
  const emitting = chat.app.services.transaction(async (tx) => {
    await advanceCounter(tx, `event:${chat.realm.id}`, 1)
    noteLocked()
    await isDone
  })
  await isLocked

  const state = await ben.succeed('POST /register', { event_types: ['message'] })

  finish()
  await emitting
  assert.match(state['queue_id'], /^[a-z2-7]{32}$/)
})

test('the state follows the event types, or the state types where the client names them', async () => {
  const { ada } = await setting()
  const always = ['last_event_id', 'msg', 'queue_id', 'result', 'status']
  const version = ['zulip_feature_level', 'zulip_merge_base', 'zulip_version']

  const messages = await ada.succeed('POST /register', { event_types: ['message'] })
  const starred = await ada.succeed('POST /register', {
    event_types: ['message'],
    fetch_event_types: ['starred_messages'],
  })
  const nothing = await ada.succeed('POST /register', { event_types: ['message'], fetch_event_types: [] })
  const unknown = await ada.succeed('POST /register', { fetch_event_types: ['zulip_version', 'no_such_type'] })

  assert.deepEqual(Object.keys(messages).sort(), [...always, 'max_message_id', ...version].sort())
  assert.deepEqual(Object.keys(starred).sort(), [...always, 'starred_messages', ...version].sort())
  assert.deepEqual(Object.keys(nothing).sort(), [...always, ...version].sort())
  assert.deepEqual(Object.keys(unknown).sort(), [...always, ...version].sort())
})

test('null parameters count as omitted, and unused ones are listed', async () => {
  const { ada } = await setting()

  const everything = await ada.succeed('POST /register')
  const state = await ada.succeed('POST /register', {
    event_types: 'null',
    fetch_event_types: 'null',
    narrow: 'null',
    idle_queue_timeout: '"mobile"',
    client_capabilities: { individual_emoji_changes: true, simplified_presence_events: 3 },
  })

  assert.deepEqual(state['ignored_parameters_unsupported'], ['idle_queue_timeout'])
  const fieldsOf = ({ ignored_parameters_unsupported: _, ...body }: Body) => Object.keys(body)
  assert.deepEqual(fieldsOf(state), fieldsOf(everything))
})

test('unread messages are only in the state of clients that receive messages and flags', async () => {
  const { ada } = await setting()

  const both = await ada.succeed('POST /register', { event_types: ['message', 'update_message_flags'] })
  const messages = await ada.succeed('POST /register', { event_types: ['message'] })
  const flags = await ada.succeed('POST /register', { event_types: ['update_message_flags'] })

  assert.equal(both['unread_msgs'].count, 0)
  assert.equal('unread_msgs' in messages, false)
  assert.equal('unread_msgs' in flags, false)
})

test('clients that do not name `user_topic` receive muted topics in the older form', async () => {
  const { ada } = await setting()

  const older = await ada.succeed('POST /register', { fetch_event_types: ['muted_topics'] })
  const both = await ada.succeed('POST /register', { fetch_event_types: ['muted_topics', 'user_topic'] })
  const everything = await ada.succeed('POST /register')

  assert.deepEqual([older['muted_topics'], everything['muted_topics']], [[], []])
  assert.equal('muted_topics' in both, false)
  assert.deepEqual(both['user_topics'], [])
})

test('a queue expires after ten minutes without a poll, or after the lifespan that its client asked for, up to a week', async () => {
  const { chat, ada } = await setting()
  const open = (queue_lifespan_secs?: number) =>
    ada.succeed('POST /register', { event_types: ['message'], queue_lifespan_secs })
  const [plain, short, hour, longest] = [await open(), await open(1), await open(3600), await open(10 ** 9)]

  const queues = await chat.app.services.db.selectFrom('eventQueues').select(['id', 'lifespan']).execute()
  await chat.clock.advance(3_590)

  const lifespans = new Map(queues.map(({ id, lifespan }) => [id, lifespan]))
  const lifespanOf = ({ queue_id }: Body) => lifespans.get(queue_id)
  assert.deepEqual([plain, short, hour, longest].map(lifespanOf), [600, 600, 3600, 7 * 86_400])
  const statuses = [plain, short, hour, longest].map(async ({ queue_id, last_event_id }) => {
    return (await ada.call('GET /events', { queue_id, last_event_id, dont_block: true })).status
  })
  assert.deepEqual(await Promise.all(statuses), [400, 400, 200, 200])
})

test('the number of queries does not depend on the number of users, channels and messages', async () => {
  const { chat, ada, ben, design } = await setting()
  await chat.user('bot', { botType: 3, owner: ada })
  const statementsFor = async () => {
    const before = chat.app.storage.statements
    await ada.succeed('POST /register', { include_subscribers: true })
    return chat.app.storage.statements - before
  }
  await statementsFor()
  const few = await statementsFor()

  for (let number = 0; number < 5; number++) {
    const person = await chat.user(`person${number}`)
    const channel = await chat.channel(`channel ${number}`, [ada, person])
    await sendToChannel(person, channel)
    await sendDirect(person, [ada, ben])
    await chat.user(`bot${number}`, { botType: 3, owner: ada })
  }
  await sendToChannel(ben, design)
  await statementsFor()

  assert.equal(await statementsFor(), few)
})

test('bots have queues like users', async () => {
  const { chat, ada } = await setting()
  const bot = await chat.user('helper', { botType: 1, owner: ada })

  const state = await bot.succeed('POST /register', { event_types: ['message'], all_public_streams: true })

  assert.match(state['queue_id'], /^[a-z2-7]{32}$/)
})

test('guests cannot request the messages of all public channels', async () => {
  const { chat } = await setting()
  const gus = await chat.user('gus', { role: Role.guest })

  const answer = await gus.call('POST /register', { all_public_streams: true })

  assert.partialDeepStrictEqual(answer, { status: 400, code: 'BAD_REQUEST', msg: 'User not authorized for this query' })
})

test('a narrow with an unknown operator or operand is refused', async () => {
  const { ada } = await setting()

  const known = await ada.call('POST /register', {
    narrow: [
      ['channel', 'design'],
      ['is', 'dm'],
    ],
  })
  const unknown = await ada.call('POST /register', {
    narrow: [
      ['channel', 'design'],
      ['has', 'link'],
    ],
  })
  const followed = await ada.call('POST /register', { narrow: [['is', 'followed']] })
  const single = await ada.call('POST /register', { narrow: [['channel']] })
  const text = await ada.call('POST /register', { narrow: 'design' })
  const object = await ada.call('POST /register', { narrow: [{ operator: 'channel', operand: 'design' }] })

  assert.equal(known.status, 200)
  assert.partialDeepStrictEqual(unknown, { status: 400, msg: 'Operator has not supported.' })
  assert.partialDeepStrictEqual(followed, { status: 400, msg: 'Operand followed not supported.' })
  assert.equal(single.status, 400)
  assert.partialDeepStrictEqual(text, { status: 400, msg: 'narrow is not valid JSON' })
  assert.partialDeepStrictEqual(object, { status: 400, msg: 'narrow[0] is not a list' })
})

test('the event types and the narrow of a queue are limited in size', async () => {
  const { ada } = await setting()
  const long = 'x'.repeat(MAX_REGISTRATION_LENGTH)

  const types = await ada.call('POST /register', { event_types: ['message', long] })
  const narrow = await ada.call('POST /register', { narrow: [['channel', long]] })
  const fetched = await ada.call('POST /register', { fetch_event_types: [long], narrow: [['channel', long.slice(20)]] })

  const refusal = (name: string) => ({ status: 400, msg: `${name} is too long (limit: 10000 characters)` })
  assert.partialDeepStrictEqual(types, refusal('event_types'))
  assert.partialDeepStrictEqual(narrow, refusal('narrow'))
  assert.equal(fetched.status, 200)
})

test('client capabilities are booleans', async () => {
  const { ada } = await setting()

  const answer = await ada.call('POST /register', { client_capabilities: { bulk_message_deletion: 'yes' } })

  assert.partialDeepStrictEqual(answer, {
    status: 400,
    msg: 'client_capabilities["bulk_message_deletion"] is not a boolean',
  })
})

test('the names of all Unicode emoji are public at the URL in the state', async () => {
  const { chat, ada } = await setting()
  const { server_emoji_data_url: url } = await ada.succeed('POST /register', { fetch_event_types: ['realm'] })

  const answer = await chat.request({ method: 'GET', path: new URL(url).pathname })

  assert.equal(new URL(url).origin, 'http://parley.test')
  assert.equal(answer.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(answer.body).code_to_names['1f642'], ['smile'])
})
