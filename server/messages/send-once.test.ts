import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Chat, startChat } from '../../test/harness.ts'

const DAY = 86_400

async function startDesign() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.channel('design', [ada, ben])
  return { chat, ada, ben }
}

const message = { type: 'stream', to: 'design', topic: 'tea', content: 'hi', queue_id: 'q' }

const count = async ({ app }: Chat) => (await app.services.db.selectFrom('messages').select('id').execute()).length

test('a request that is repeated with the same UUID sends nothing and returns the first message', async () => {
  const { chat, ada, ben } = await startDesign()
  const local_id = randomUUID()
  const first = await ada.succeed('POST /messages', { ...message, local_id })

  const repeated = await ada.succeed('POST /messages', { ...message, local_id, queue_id: 'another' })
  const byBen = await ben.succeed('POST /messages', { ...message, local_id })

  assert.equal(repeated['id'], first['id'])
  assert.notEqual(byBen['id'], first['id'])
  assert.equal(await count(chat), 2)
})

test('requests with the same UUID at the same time send one message', async () => {
  const { chat, ada } = await startDesign()
  const local_id = randomUUID()

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ada.succeed('POST /messages', { ...message, local_id })),
  )

  assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
  assert.equal(await count(chat), 1)
})

test('a message that was refused can be sent with the same UUID later', async () => {
  const { chat, ada } = await startDesign()
  const local_id = randomUUID()

  const refused = await ada.call('POST /messages', { ...message, to: 'nowhere', local_id })
  await ada.succeed('POST /messages', { ...message, local_id })

  assert.equal(refused['code'], 'STREAM_DOES_NOT_EXIST')
  assert.equal(await count(chat), 1)
})

test('other local ids may repeat, because some clients count their messages', async () => {
  const { chat, ada } = await startDesign()

  for (const local_id of ['100.01', '100.01']) await ada.succeed('POST /messages', { ...message, local_id })

  assert.equal(await count(chat), 2)
})

test('a UUID is remembered for two weeks', async () => {
  const { chat, ada } = await startDesign()
  const local_id = randomUUID()
  await ada.succeed('POST /messages', { ...message, local_id })

  await chat.clock.advance(14 * DAY - 3600)
  await ada.succeed('POST /messages', { ...message, local_id })
  const within = await count(chat)
  await chat.clock.advance(2 * 3600)
  await ada.succeed('POST /messages', { ...message, local_id })

  assert.deepEqual([within, await count(chat)], [1, 2])
})
