import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advanceCounter } from '#storage/counters.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { type Body, type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const brokenRows: Record<string, Record<string, string>> = {
  'with invalid JSON': { payload: '{"type":"message",' },
  'that is not an object': { payload: 'null' },
  'with an event of another type': { payload: '{"type":"presence"}' },
  'with an invalid audience': { audience: '{"1":true' },
}

/** Adds an event for the user to the log. `fields` makes some of its fields invalid. */
async function logBroken(chat: Chat, person: Person, fields: Record<string, string>): Promise<void> {
  const realmId = chat.realm.id
  const sound = { type: 'message', payload: '{"type":"message"}', audience: `[${person.id}]` }
  await chat.app.services.transaction(async (tx) => {
    const id = await advanceCounter(tx, `event:${realmId}`, 1)
    await tx
      .insertInto('events')
      .values({ realmId, id, createdAt: tx.now, ...sound, ...fields })
      .execute()
  })
}

for (const [what, fields] of Object.entries(brokenRows)) {
  test(`a row of the log ${what} is skipped by pending and later polls`, async () => {
    const { log, errors } = collectLog()
    const chat = await startChat({ log })
    const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
    const design = await chat.channel('design', [ada, ben])
    const older = await ben.succeed('POST /register', { event_types: ['message'] })
    await sendToChannel(ada, design, 'before')
    await logBroken(chat, ben, fields)
    const newer = await ben.succeed('POST /register', { event_types: ['message'] })
    const waiting = poll(ben, newer)
    await new Promise(setImmediate)
    await logBroken(chat, ben, fields)
    await sendToChannel(ada, design, 'after')

    const [receivedOlder, receivedNewer] = [await poll(ben, older), await waiting]

    assert.deepEqual(receivedOlder, ['before', 'after'])
    assert.deepEqual(receivedNewer, ['after'])
    assert.ok(errors.length > 0)
    assert.deepEqual([...new Set(errors.map(({ message }) => message))], ['An event cannot be read and is skipped'])
  })
}

test('an event of a type that only a later version knows is delivered to queues that request it', async () => {
  const { log, errors } = collectLog()
  const chat = await startChat({ log })
  const ben = await chat.user('ben')
  const everything = await ben.succeed('POST /register')
  const byName = await ben.succeed('POST /register', { event_types: ['channel_folder'] })
  const another = await ben.succeed('POST /register', { event_types: ['message'] })
  const event = { type: 'channel_folder', op: 'reorder', order: [2, 1] }
  await logBroken(chat, ben, { type: event.type, payload: JSON.stringify(event) })
  // The server reads the log after a commit with events.
  await ben.succeed('POST /users/me/alert_words', { alert_words: ['tea'] })

  // No request is sent, because its response would be checked against the catalogue.
  const received = async ({ queue_id: queueId }: Body) => {
    const nobodyAsks = { lastEventId: null, blocks: false, whenOver: () => {}, reauthenticate: async () => {} }
    const json = await chat.app.services.hub.poll({ queueId, userId: ben.id, ...nobodyAsks })
    return JSON.parse(`[${json}]`)
  }

  for (const queue of [everything, byName]) assert.partialDeepStrictEqual(await received(queue), [event])
  assert.deepEqual(await received(another), [])
  assert.deepEqual(errors, [])
})

/** Returns the contents of the messages that a poll returns. */
async function poll(person: Person, { queue_id, last_event_id }: Record<string, unknown>): Promise<string[]> {
  const { events } = await person.succeed('GET /events', { queue_id, last_event_id })
  return events.map(({ message }: { message: { content: string } }) => message.content)
}
