import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Refusal } from '#lib/errors.ts'
import { findUser } from '#people/user-queries.ts'
import { DatabaseUnavailable, type RunTransaction } from '#storage/storage.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { type PreparedMessage, prepareMessage } from './prepare-message.ts'
import { JointSender } from './send-once.ts'

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

/** Returns prepared messages of the user, with these contents. */
async function prepare(
  { app, clock }: Chat,
  { id, realm }: Person,
  contents: readonly string[],
): Promise<PreparedMessage[]> {
  const { db } = app.services
  const user = await findUser(db, id)
  assert.ok(user)
  const base = { to: { channel: 'design', topic: 'tea' }, client: 'test', isReadBySender: true, localEcho: null }
  return Promise.all(
    contents.map((content) => prepareMessage(db, { ...user, realm }, { ...base, content }, clock.now())),
  )
}

test('messages that wait share transactions, and keep their order', async () => {
  const { chat, ada, ben } = await startDesign()
  const { app } = chat
  const contents = Array.from({ length: 60 }, (_, number) => `message ${number}`)
  const prepared = await prepare(chat, ada, contents)
  const before = app.storage.statements

  const sent = await Promise.all(prepared.map((message) => app.services.jointSender.send(message, undefined)))

  const statements = app.storage.statements - before
  assert.ok(statements < 60 * 4, `${statements} statements`)
  assert.deepEqual(
    sent.map(({ id }) => id),
    sent.map(({ id }) => id).toSorted((one, other) => one - other),
  )
  const received = (await chat.eventsOf(ben)).filter(({ type }) => type === 'message')
  assert.deepEqual(
    received.map(({ message }) => (message as { id: number }).id),
    sent.map(({ id }) => id),
  )
})

test('a message that is refused, or that fails, leaves those beside it alone', async () => {
  const { chat, ada } = await startDesign()
  const { jointSender } = chat.app.services
  const prepared = await prepare(chat, ada, ['one', 'two', 'three', 'four', 'five'])
  const [, refused, , broken] = prepared
  assert.ok(refused && broken && refused.target.channel)
  refused.target.channel = { ...refused.target.channel, id: 999_999 }
  broken.client = null as never
  const localIds = prepared.map(() => randomUUID())

  const outcomes = await Promise.allSettled(prepared.map((message, at) => jointSender.send(message, localIds[at])))

  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.ok((outcomes[1] as PromiseRejectedResult).reason instanceof Refusal)
  assert.equal(await count(chat), 3)
  const claimed = await chat.app.services.db.selectFrom('sentLocalIds').select(['localId', 'messageId']).execute()
  assert.deepEqual(claimed.map(({ localId }) => localId).sort(), [localIds[0], localIds[2], localIds[4]].sort())
  assert.ok(claimed.every(({ messageId }) => messageId > 0))
})

test('if a transaction cannot begin, all messages that wait for it fail, and can be sent again with the same UUID', async () => {
  const { chat, ada } = await startDesign()
  const { transaction, db } = chat.app.services
  let [isDown, attempts] = [true, 0]
  const runTransaction: RunTransaction = async (work, options) => {
    attempts += 1
    if (isDown) throw new DatabaseUnavailable('no connection is free')
    return transaction(work, options)
  }
  const sender = new JointSender({ db, transaction: runTransaction })
  // More than one transaction sends.
  const contents = Array.from({ length: 250 }, (_, number) => `message ${number}`)
  const localIds = contents.map(() => randomUUID())
  const prepared = await prepare(chat, ada, contents)
  const sendAll = () => Promise.allSettled(prepared.map((message, at) => sender.send(message, localIds[at])))

  const failed = await sendAll()
  const whileDown = [attempts, await count(chat)]
  isDown = false
  const sent = await sendAll()

  assert.ok(failed.every((one) => one.status === 'rejected' && one.reason instanceof DatabaseUnavailable))
  assert.deepEqual(whileDown, [1, 0])
  assert.ok(sent.every(({ status }) => status === 'fulfilled'))
  assert.equal(await count(chat), 250)
})

const onPostgresOnly = { skip: !onPostgres && 'on SQLite no transaction waits for a lock of another one' }

test('a message that waits for another transaction does not hold up those beside it', onPostgresOnly, async () => {
  const { chat, ada } = await startDesign()
  const { jointSender, transaction } = chat.app.services
  const [localId, others] = [randomUUID(), await prepare(chat, ada, ['one', 'two'])]
  const [waiting] = (await prepare(chat, ada, ['waits'])) as [PreparedMessage]
  const [claimed, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = transaction(async (tx) => {
    await tx.insertInto('sentLocalIds').values({ userId: ada.id, localId, messageId: 0, sentAt: 0 }).execute()
    claimed.resolve()
    await over.promise
    throw new Error('undone')
  }).catch(() => undefined)
  await claimed.promise

  const stuck = jointSender.send(waiting, localId)
  const sent = await Promise.all(others.map((message) => jointSender.send(message, randomUUID())))
  over.resolve()
  await holding

  assert.equal(sent.length, 2)
  assert.ok((await stuck).id > 0)
  assert.equal(await count(chat), 3)
})
