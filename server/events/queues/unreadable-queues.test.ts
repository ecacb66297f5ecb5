import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../../test/collected-log.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const spoilt: Record<string, (form: Record<string, unknown>) => string> = {
  'is no JSON': (form) => JSON.stringify(form).slice(0, -1),
  'is no object': () => 'null',
  'names no event types': ({ eventTypes: _, ...form }) => JSON.stringify(form),
  'has a capability of a later version': (form) => JSON.stringify({ ...form, takesFolders: true }),
  'has an operator of a later version': (form) => JSON.stringify({ ...form, narrow: [['folder', '7']] }),
  'has an operand of a later version': (form) => JSON.stringify({ ...form, narrow: [['is', 'followed']] }),
}

async function register(person: Person): Promise<string> {
  return (await person.succeed('POST /register', { event_types: ['message'] }))['queue_id']
}

async function spoil(chat: Chat, queueId: string, change: (form: Record<string, unknown>) => string): Promise<void> {
  await chat.app.services.transaction(async (tx) => {
    const { form } = await tx.db
      .selectFrom('eventQueues')
      .select('form')
      .where('id', '=', queueId)
      .executeTakeFirstOrThrow()
    await tx
      .updateTable('eventQueues')
      .set({ form: change(JSON.parse(form)) })
      .where('id', '=', queueId)
      .execute()
  })
}

async function queueIds(chat: Chat): Promise<string[]> {
  return (await chat.app.services.db.selectFrom('eventQueues').select('id').execute()).map(({ id }) => id)
}

async function startTalk() {
  const { log, errors } = collectLog()
  const chat = await startChat({ log })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  return { chat, errors, ada, ben, design }
}

for (const [what, change] of Object.entries(spoilt)) {
  test(`a queue whose form ${what} is refused and logged once; other queues continue`, async () => {
    const { chat, errors, ada, ben, design } = await startTalk()
    const [lost, kept] = [await register(ben), await register(ben)]
    await spoil(chat, lost, change)
    await sendToChannel(ada, design, 'hello')

    const poll = (queue_id: string) => ben.call('GET /events', { queue_id, last_event_id: -1, dont_block: true })
    const answers = [await poll(lost), await poll(lost), await poll(kept)]

    assert.deepEqual(
      answers.map(({ code, events }) => code ?? events.length),
      ['BAD_EVENT_QUEUE_ID', 'BAD_EVENT_QUEUE_ID', 1],
    )
    assert.deepEqual(errors, [
      { realmId: chat.realm.id, userId: ben.id, message: 'An event queue cannot be read and is deleted' },
    ])
  })
}

test('unreadable queues are deleted with idle ones, and deleting one by request is refused', async () => {
  const { chat, errors, ben } = await startTalk()
  const [idle, lost, asked] = [await register(ben), await register(ben), await register(ben)]
  for (const id of [lost, asked]) await spoil(chat, id, () => '{}')

  const answer = await ben.call('DELETE /events', { queue_id: asked })
  const before = await queueIds(chat)
  await chat.clock.advance(1300)

  assert.equal(answer.code, 'BAD_EVENT_QUEUE_ID')
  assert.deepEqual(before.sort(), [idle, lost].sort())
  assert.deepEqual(await queueIds(chat), [])
  assert.equal(errors.length, 1)
})

test('a queue of an earlier version with fewer fields continues', async () => {
  const { chat, ada, ben, design } = await startTalk()
  const queue_id = await register(ben)
  await spoil(chat, queue_id, ({ takesBulkDeletions: _, ...form }) => JSON.stringify(form))
  await sendToChannel(ada, design, 'hello')

  const { events } = await ben.succeed('GET /events', { queue_id, last_event_id: -1 })

  assert.equal(events.length, 1)
})
