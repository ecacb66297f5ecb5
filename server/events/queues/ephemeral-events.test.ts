import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendDirect } from '../../../test/messages.ts'

type Typist = { user_id: number; email: string }

type Received = { id: number; type: string; op?: string; message?: { content: string } }

async function setting() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  return { chat, ada, ben }
}

/** Registers a queue for messages, typing and presence. Each call of `next` polls after the last event that it returned. */
async function openQueue(person: Person) {
  const event_types = ['message', 'typing', 'presence']
  const { queue_id, last_event_id } = await person.succeed('POST /register', { event_types })
  const ids: number[] = [last_event_id]
  const poll = (last_event_id = ids.at(-1), params = {}) =>
    person.call('GET /events', { queue_id, last_event_id, ...params })
  return {
    ids,
    poll,
    async next(params: object = { dont_block: true }): Promise<string[]> {
      const { events = [], code } = await poll(ids.at(-1), params)
      assert.equal(code, undefined)
      ids.push(...events.map(({ id }: Received) => id))
      return events.map(({ type, op, message }: Received) => message?.content ?? op ?? type)
    },
  }
}

const type = (from: Person, to: Person, op: string) => from.succeed('POST /typing', { op, to: [to.id] })

function assertAscending(ids: readonly number[]): void {
  for (const [at, id] of ids.entries()) if (at > 0) assert.ok(id > (ids[at - 1] as number), `${ids}`)
}

/** Waits until background work is done. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Publishes `count` typing events of the first user to the second one. */
function flood({ app, realm }: Chat, from: Person, to: Person, count: number): void {
  const [sender, recipient] = [from, to].map(({ id, email }) => ({ user_id: id, email })) as [Typist, Typist]
  const event = {
    type: 'typing',
    op: 'start',
    message_type: 'direct',
    sender,
    recipients: [recipient, sender],
  } as const
  for (let number = 0; number < count; number++) app.services.publish(realm.id, event, [to.id])
}

test('typing and presence events reach waiting and later polls without a commit or a row in the log', async () => {
  const { chat, ada, ben } = await setting()
  const [tab, otherTab] = [await openQueue(ben), await openQueue(ben)]
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await chat.clock.advance(1)
  assert.deepEqual(await tab.next(), ['presence'])
  let commits = 0
  chat.app.storage.onCommit(({ written }) => {
    if (!written.has('eventQueues')) commits += 1
  })

  const waiting = tab.next({})
  await settled()
  await type(ada, ben, 'start')
  const first = await waiting
  await type(ada, ben, 'stop')

  assert.deepEqual([first, await tab.next(), await tab.next()], [['start'], ['stop'], []])
  assert.deepEqual(await otherTab.next(), ['presence', 'start', 'stop'])
  assert.equal(commits, 0)
  assert.deepEqual(await chat.app.storage.db.selectFrom('events').select('type').execute(), [])
})

test('ids increase when events of the log and ephemeral events alternate, and each event is received in its place', async () => {
  const { ada, ben } = await setting()
  const [slow, fast] = [await openQueue(ben), await openQueue(ben)]
  const received: string[] = []

  for (let turn = 0; turn < 6; turn++) {
    const waiting = turn % 2 === 0 ? fast.next({}) : null
    await settled()
    await type(ada, ben, 'start')
    await sendDirect(ada, [ben], `${turn}`)
    await type(ada, ben, 'stop')
    received.push(...((await waiting) ?? []), ...(await fast.next()))
  }

  const all = Array.from({ length: 6 }, (_, turn) => ['start', `${turn}`, 'stop']).flat()
  assert.deepEqual(received, all)
  assert.deepEqual(await slow.next(), all)
  for (const { ids } of [slow, fast]) assertAscending(ids)
})

test('ephemeral events that were not acknowledged are repeated for some seconds, and not sent to later queues', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(ben)
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await type(ada, ben, 'start')
  await chat.clock.advance(10)
  const later = await openQueue(ben)

  const [first, again] = [await queue.poll(-1, { dont_block: true }), await queue.poll(-1, { dont_block: true })]
  await chat.clock.advance(10)
  const tooLate = await queue.next()

  assert.equal(first['events'].length, 2)
  assert.deepEqual(again['events'], first['events'])
  assert.deepEqual(tooLate, ['presence'])
  assert.deepEqual(await later.next(), [])
})

test('only the audience at the moment of an ephemeral event receives it', async () => {
  const { chat, ada, ben } = await setting()
  const cleo = await chat.user('cleo')
  const design = await chat.channel('design', [ada, ben, cleo], { isPrivate: true })
  const capabilities = { stream_typing_notifications: true }
  const register = async (person: Person) => {
    const params = { event_types: ['typing'], client_capabilities: capabilities }
    const { queue_id } = await person.succeed('POST /register', params)
    return { person, queue_id }
  }
  const queues = await Promise.all([ben, cleo].map(register))
  const typeInChannel = () =>
    ada.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: design.id, topic: 'x' })
  const count = async ({ person, queue_id }: (typeof queues)[number]) =>
    (await person.succeed('GET /events', { queue_id, last_event_id: -1, dont_block: true }))['events'].length

  await typeInChannel()
  await cleo.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })
  await typeInChannel()

  assert.deepEqual(await Promise.all(queues.map(count)), [2, 1])
})

test('a client may acknowledge an ephemeral event of another node, and receives later ones with higher ids', async () => {
  const { ada, ben } = await setting()
  const queue = await openQueue(ben)
  await sendDirect(ada, [ben], 'one')
  await queue.next()
  queue.ids.push((queue.ids.at(-1) as number) + 700)

  const waiting = queue.next({})
  await settled()
  await type(ada, ben, 'start')
  const first = await waiting
  await sendDirect(ada, [ben], 'two')
  await type(ada, ben, 'stop')

  assert.deepEqual([first, await queue.next()], [['start'], ['two', 'stop']])
  assertAscending(queue.ids)
})

test('ephemeral events beyond the free ids are dropped, and events of the log are not', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(ben)
  await sendDirect(ada, [ben], 'one')
  await queue.next()

  const waiting = queue.next({})
  await settled()
  flood(chat, ada, ben, 1500)
  const [first, rest] = [await waiting, await queue.next()]
  await sendDirect(ada, [ben], 'two')
  flood(chat, ada, ben, 1)

  assert.deepEqual([first.length, rest.length], [1, 998])
  assert.deepEqual(await queue.next(), ['two', 'start'])
  assertAscending(queue.ids)
})

test('a poll without events is answered with the id of the last ephemeral event', async () => {
  const { chat, ada, ben } = await setting()
  const [queue, own] = [await openQueue(ben), await openQueue(ada)]
  await sendDirect(ada, [ben], 'one')
  for (const one of [queue, own]) await one.next()

  const waiting = own.next({})
  await settled()
  await type(ada, ben, 'start')
  await queue.next()
  await chat.clock.advance(51)

  assert.deepEqual(await waiting, ['heartbeat'])
  assert.equal(own.ids.at(-1), queue.ids.at(-1))
})
