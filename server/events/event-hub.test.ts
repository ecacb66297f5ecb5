import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Deferred } from '#lib/deferred.ts'
import { Role } from '#rules/role.ts'
import { advanceCounter } from '#storage/counters.ts'
import { findLastEventId } from '#storage/event-log.ts'
import { anyEvent } from '../../test/any-event.ts'
import { collectLog } from '../../test/collected-log.ts'
import { type Chat, type Person, type StartOptions, startChat } from '../../test/harness.ts'
import { plainForm } from '../../test/queue-forms.ts'
import { EventHub } from './event-hub.ts'
import type { QueueForm } from './queues/event-queue.ts'
import { saveQueue } from './queues/queries.ts'
import { MAX_LIFESPAN } from './queues/queue-registry.ts'

const everything: QueueForm = { ...plainForm, takesUserSettings: true }

async function openQueue(chat: Chat, person: Person, form: Partial<QueueForm> = {}, lifespan = 600): Promise<string> {
  const { id } = await chat.app.services.transaction(async (tx) => {
    const startId = await findLastEventId(tx.db, person.realm.id)
    const queue = { realmId: person.realm.id, userId: person.id, startId, lifespan, form: { ...everything, ...form } }
    return saveQueue(tx, queue)
  })
  return id
}

type HeardMessage = Heard & { message: Record<string, unknown>; local_message_id?: string }

type Heard = { id: number; type: string; [field: string]: unknown }

/** Returns the events of a poll that does not block. */
async function peek(person: Person, queueId: string, lastEventId?: number): Promise<Heard[]> {
  const answer = await person.succeed('GET /events', {
    queue_id: queueId,
    last_event_id: lastEventId,
    dont_block: true,
  })
  return answer['events'] as Heard[]
}

function assertAscending(events: readonly Heard[]): void {
  const ids = events.map(({ id }) => id)
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((one, other) => one - other),
  )
}

async function say(person: Person, content: string): Promise<void> {
  await person.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'icons', content })
}

async function setting(options: StartOptions = {}) {
  const chat = await startChat(options)
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  await chat.channel('design', [ada, ben])
  return { chat, ada, ben }
}

test('a pending poll receives the next event', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })

  const poll = ben.succeed('GET /events', { queue_id: queue, last_event_id: -1 })
  await say(ada, 'Hello')
  const { events, queue_id } = await poll

  assert.equal(queue_id, queue)
  assert.equal(events.length, 1)
  assert.deepEqual([events[0].type, events[0].message.content, events[0].flags], ['message', 'Hello', []])
  assert.equal('rendered_content' in events[0], false)
})

test('a poll ends an earlier one of the same queue with a heartbeat', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })
  const poll = async () => {
    const { events } = await ben.succeed('GET /events', { queue_id: queue, last_event_id: -1 })
    return events.map(({ type }: Heard) => type)
  }

  const earlier = poll()
  while (chat.app.services.hub.counts().waitingPolls === 0) await setImmediate()
  const later = poll()
  const ended = await earlier
  await say(ada, 'Hello')

  assert.deepEqual([ended, await later], [['heartbeat'], ['message']])
})

test('a pending poll receives events after a failed read of the log, which is logged once', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })
  const { storage } = chat.app
  let isDown = false
  const executeQuery: typeof storage.db.executeQuery = (query) => {
    if (isDown) throw new Error('The disk is away')
    return storage.db.executeQuery(query)
  }
  const { log, entries } = collectLog()
  const db = { ...storage.db, selectFrom: storage.db.selectFrom.bind(storage.db), executeQuery }
  const hub = new EventHub({ storage: { ...storage, db }, clock: chat.clock, log })
  const blocks = { queueId: queue, userId: ben.id, lastEventId: -1, blocks: true, reauthenticate: () => null }
  const poll = await hub.poll(blocks)
  assert.ok(poll instanceof Deferred)
  const answer = new Promise<string>((resolve) => poll.onSettled((get) => resolve(get())))

  isDown = true
  await say(ada, 'Hello')
  await chat.clock.advance(3)
  isDown = false
  await chat.clock.advance(1)

  assert.match(await answer, /Hello/)
  assert.deepEqual(
    entries.map(({ message }) => message),
    ['The event log could not be read; retrying until it can', 'The event log can be read again'],
  )
  await hub.close()
})

test('pending and later polls receive each of thousands of events once, in order', async () => {
  const { chat, ada, ben } = await setting()
  const queues = [await openQueue(chat, ada), await openQueue(chat, ben)] as const
  const received: (Heard & { alert_words: string[] })[][] = [[], []]
  const receive = async (person: Person, at: 0 | 1) => {
    while ((received[at]?.length ?? 0) < 1800) {
      const last_event_id = received[at]?.at(-1)?.id ?? -1
      const { events } = await person.succeed('GET /events', { queue_id: queues[at], last_event_id })
      received[at]?.push(...events)
    }
  }

  const waiting = receive(ada, 0)
  for (let turn = 0; turn < 2; turn++)
    await chat.app.services.transaction(async (tx) => {
      for (let number = 0; number < 900; number++)
        tx.emit(ada.realm.id, { type: 'alert_words', alert_words: [String(number)] }, [ada.id, ben.id])
    })
  await Promise.all([waiting, receive(ben, 1)])

  const words = received.map((events) => events.map(({ alert_words: [word] }) => Number(word)))
  const all = [1, 2].flatMap(() => Array.from({ length: 900 }, (_, number) => number))
  assert.deepEqual(words, [all, all])
  for (const events of received) assertAscending(events)
})

test('a heartbeat during a read of the log does not acknowledge the events that are read', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })
  const { storage } = chat.app
  const commitCounters = { ...storage.db.commitCounters, isComplete: false }
  const db = { ...storage.db, commitCounters, selectFrom: storage.db.selectFrom.bind(storage.db) }
  const hub = new EventHub({ storage: { ...storage, db }, clock: chat.clock, log: collectLog().log })
  const looks = Promise.withResolvers<void>()
  let isLooking = false
  const reauthenticate = () => (isLooking ? looks.promise : null)
  const poll = await hub.poll({ queueId: queue, userId: ben.id, lastEventId: -1, blocks: true, reauthenticate })
  assert.ok(poll instanceof Deferred)
  const answer = new Promise<string>((resolve) => poll.onSettled((get) => resolve(get())))

  isLooking = true
  await say(ada, 'Hello')
  await chat.clock.advance(60)
  const [heartbeat] = JSON.parse(`[${await answer}]`)
  looks.resolve()
  const asked = { queueId: queue, userId: ben.id, blocks: false, reauthenticate: () => null }
  const next = await hub.poll({ ...asked, lastEventId: heartbeat.id })

  assert.equal(heartbeat.type, 'heartbeat')
  assert.match(String(next), /Hello/)
  await hub.close()
})

test('unacknowledged events are repeated exactly; acknowledged ones are not', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })
  await say(ada, 'one')
  await say(ada, 'two')

  const first = await peek(ben, queue, -1)
  const again = await peek(ben, queue, -1)
  const rest = await peek(ben, queue, first[0]?.id)
  const tooLate = await ben.call('GET /events', { queue_id: queue, last_event_id: -1, dont_block: true })

  assert.deepEqual(again, first)
  assert.deepEqual(rest, first.slice(1))
  assert.deepEqual([tooLate.status, tooLate.code, tooLate['queue_id']], [400, 'BAD_EVENT_QUEUE_ID', queue])
})

test('polls receive only heartbeats while nothing happens, and heartbeats skip no event', async () => {
  const { chat, ada, ben } = await setting()
  // The lifespan is long, because the clock may advance far before the poll waits.
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] }, MAX_LIFESPAN)
  await ada.succeed('PATCH /realm', { description: 'changed' })

  let isAnswered = false
  const poll = ben.succeed('GET /events', { queue_id: queue, last_event_id: -1 }).finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await settled()
    await chat.clock.advance(51)
  }
  const [heartbeat] = (await poll)['events'] as [Heard]
  await say(ada, 'after')
  const later = await peek(ben, queue, heartbeat.id)

  assert.equal(heartbeat.type, 'heartbeat')
  assert.equal(later.length, 1)
})

/** Waits until background work is done. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}

test('polls of unknown and expired queues, and of queues of other users, are refused', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben)
  const patient = await openQueue(chat, ben, {}, 7200)
  const codeOf = async (person: Person, id: string) =>
    (await person.call('GET /events', { queue_id: id, last_event_id: -1, dont_block: true })).code

  assert.equal(await codeOf(ben, 'nowhere'), 'BAD_EVENT_QUEUE_ID')
  assert.equal(await codeOf(ada, queue), 'BAD_EVENT_QUEUE_ID')
  assert.equal((await ada.call('DELETE /events', { queue_id: queue })).code, 'BAD_EVENT_QUEUE_ID')
  assert.equal(await codeOf(ben, queue), undefined)
  await chat.clock.advance(700)
  assert.equal(await codeOf(ben, queue), 'BAD_EVENT_QUEUE_ID')
  assert.equal(await codeOf(ben, patient), undefined)
})

test('a queue also expires while the clock shows a time before the start of the server', async () => {
  const { chat, ben } = await setting()
  await chat.clock.set(chat.clock.now() - 30 * 86_400)
  const queue = await openQueue(chat, ben)
  const poll = () => ben.call('GET /events', { queue_id: queue, last_event_id: -1, dont_block: true })

  assert.equal((await poll()).code, undefined)
  await chat.clock.advance(601)

  assert.equal((await poll()).code, 'BAD_EVENT_QUEUE_ID')
})

test('idle queues and old events are deleted, and no sweep runs while there are none', async () => {
  const { chat, ada, ben } = await setting()
  const { db } = chat.app.services
  const left = async () => ({
    queues: (await db.selectFrom('eventQueues').select('id').execute()).length,
    events: (await db.selectFrom('events').select('id').execute()).length > 0,
  })
  await openQueue(chat, ben)
  await openQueue(chat, ben, {}, 7 * 86_400)
  await say(ada, 'first')

  await chat.clock.advance(1300)
  assert.deepEqual(await left(), { queues: 1, events: true })
  await chat.clock.advance(86_400)
  assert.deepEqual(await left(), { queues: 1, events: true })
  await chat.clock.advance(7 * 86_400)
  assert.deepEqual(await left(), { queues: 0, events: false })

  const before = chat.app.storage.statements
  await chat.clock.advance(60 * 86_400)
  // Once a day, three statements search for unlinked files. Once an hour, six statements search for expired messages, old
  // request ids, canceled emails and old deliveries of webhooks, one searches for legal holds, one for old entries of
  // the audit log, two count new messages, one searches for organizations with digests, and one for those that require
  // second factors.
  assert.ok(chat.app.storage.statements - before <= (3 + 24 * 12) * 61)

  await say(ada, 'later')
  await openQueue(chat, ben)
  await chat.clock.advance(2 * 86_400)
  assert.deepEqual(await left(), { queues: 0, events: false })
})

test('a pending poll is refused when its queue is deleted', async () => {
  const { chat, ben } = await setting()
  const queue = await openQueue(chat, ben)

  const poll = ben.call('GET /events', { queue_id: queue, last_event_id: -1 })
  await settled()
  await ben.succeed('DELETE /events', { queue_id: queue })

  assert.equal((await poll).code, 'BAD_EVENT_QUEUE_ID')
})

test('pending polls are refused as soon as their account is deactivated or their key revoked', async () => {
  const { chat, ada, ben } = await setting()
  const cleo = await chat.user('cleo')
  const polls = []
  for (const person of [ben, cleo]) {
    const queue = await openQueue(chat, person, { eventTypes: ['message'] })
    polls.push(person.call('GET /events', { queue_id: queue, last_event_id: -1 }))
  }
  await settled()

  await ada.succeed(`DELETE /users/${ben.id}`)
  await cleo.succeed('POST /users/me/api_key/regenerate')

  const answers = await Promise.all(polls)
  assert.deepEqual(
    answers.map(({ status, msg }) => [status, msg]),
    [
      [401, 'Account is deactivated'],
      [401, 'Invalid API key'],
    ],
  )
})

test('each queue receives the form that it requested, and only the sender’s own queue receives the local id', async () => {
  const { chat, ada } = await setting()
  const plain = await openQueue(chat, ada, { eventTypes: ['message'] })
  const html = await openQueue(chat, ada, { eventTypes: ['message'], appliesMarkdown: true, computesGravatar: false })

  await ada.succeed('POST /messages', {
    type: 'channel',
    to: 'design',
    topic: '',
    content: '**bold**',
    queue_id: plain,
    local_id: '17.5',
  })

  const [one] = (await peek(ada, plain)) as [HeardMessage]
  const [other] = (await peek(ada, html)) as [HeardMessage]
  assert.deepEqual(
    [one.message['content'], one.message['avatar_url'], one.message['subject'], one.local_message_id],
    ['**bold**', null, 'general chat', '17.5'],
  )
  assert.equal(other.message['content'], '<p><strong>bold</strong></p>')
  assert.match(String(other.message['avatar_url']), /^https:\/\/secure\.gravatar\.com/)
  assert.equal('local_message_id' in other, false)
})

test('a narrow lets through only messages that match every term', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben, {
    narrow: [
      ['stream', 'DESIGN'],
      ['topic', 'Icons'],
    ],
  })

  await say(ada, 'fits')
  await ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'other', content: 'does not' })

  const received = (await peek(ben, queue)).filter(({ type }) => type === 'message') as {
    message?: { content: string }
  }[]
  assert.deepEqual(
    received.map(({ message }) => message?.content),
    ['fits'],
  )
})

test('a queue with all_public_streams receives public channels without a subscription; other queues of the user do not', async () => {
  const { chat, ada, ben } = await setting()
  const cleo = await chat.user('cleo')
  await chat.channel('secret', [ada], { isPrivate: true })
  const all = await openQueue(chat, cleo, { allPublicChannels: true })
  const own = await openQueue(chat, cleo)

  await say(ada, 'Hello')
  await ada.succeed('POST /messages', { type: 'channel', to: 'secret', topic: 'x', content: 'psst' })
  await cleo.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] })
  await say(ben, 'Welcome')

  const said = async (queue: string) =>
    (await peek(cleo, queue)).flatMap(({ type, message }) =>
      type === 'message' ? [(message as Heard)['content']] : [],
    )
  assert.deepEqual(await said(all), ['Hello', 'Welcome'])
  assert.deepEqual(await said(own), ['Welcome'])
})

test('a rolled back transaction emits nothing', async () => {
  const { chat, ada, ben } = await setting()
  const queue = await openQueue(chat, ben)

  const failed = chat.app.services.transaction(async (tx) => {
    tx.emit(chat.realm.id, anyEvent('never'), [ben.id])
    throw new Error('no')
  })
  await assert.rejects(failed)
  await say(ada, 'after')

  assert.deepEqual(
    (await peek(ben, queue)).map(({ type }) => type),
    ['message'],
  )
})

test('an event that cannot be shaped is skipped and does not stop the others', async () => {
  const { log, errors } = collectLog()
  const { chat, ada, ben } = await setting({ log })
  const queue = await openQueue(chat, ben, { eventTypes: ['message'] })
  await say(ada, 'before')
  await chat.app.services.transaction(async (tx) => {
    const realmId = chat.realm.id
    const fields = { type: 'message', payload: '{"type":"message"}', audience: `[${ben.id}]`, createdAt: tx.now }
    const id = await advanceCounter(tx, `event:${realmId}`, 1)
    await tx
      .insertInto('events')
      .values({ realmId, id, ...fields })
      .execute()
  })
  await say(ada, 'after')

  const received = (await peek(ben, queue, -1)) as HeardMessage[]

  assert.deepEqual(
    received.map(({ message }) => message['content']),
    ['before', 'after'],
  )
  assert.equal(errors.at(-1)?.message, 'An event could not be shaped and is skipped')
})
