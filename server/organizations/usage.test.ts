import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { sendFiles } from '../../test/files.ts'
import { startChat } from '../../test/harness.ts'

const HOUR = 3600
const DAY = 24 * HOUR

test('messages that the job has not counted yet are included, once', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const design = await chat.channel('design', [ada])
  const say = (content: string) => ada.succeed('POST /messages', { type: 'stream', to: design.id, topic: 't', content })
  const countToday = async () => (await ada.succeed('GET /realm/usage', { days: 1 })).days[0].messages
  await say('one')

  assert.equal(await countToday(), 1)

  await chat.clock.advance(HOUR)
  await chat.app.jobs.messageCounts.settled()
  await say('two')
  assert.equal(await countToday(), 2)
})

test('messages are counted by day, even those that are deleted later', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const design = await chat.channel('design', [ada])
  const say = (content: string) => ada.succeed('POST /messages', { type: 'stream', to: design.id, topic: 't', content })
  const { id } = await say('one')
  await say('two')
  await chat.clock.advance(DAY)
  await say('three')
  await chat.clock.advance(HOUR)
  await chat.app.jobs.messageCounts.settled()
  await ada.succeed(`DELETE /messages/${id}`)
  await chat.clock.advance(HOUR)
  await chat.app.jobs.messageCounts.settled()

  const { days } = await ada.succeed('GET /realm/usage', { days: 3 })

  assert.deepEqual(
    days.map(({ messages }: { messages: number }) => messages),
    [0, 2, 1],
  )
  const today = new Date(chat.clock.now() * 1000).toISOString().slice(0, 10)
  assert.equal(days.at(-1).date, today)
})

test('people who used a client are counted, and files are counted by the day of their upload', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await chat.user('cleo')
  await ben.succeed('POST /users/me/presence', { status: 'active', new_user_input: true })
  await sendFiles(chat, ada, '/user_uploads', { name: 'old.txt', bytes: Buffer.alloc(100) })
  await chat.clock.advance(3 * DAY)
  await ada.succeed('POST /users/me/presence', { status: 'active', new_user_input: true })
  await sendFiles(chat, ada, '/user_uploads', { name: 'new.txt', bytes: Buffer.alloc(20) })
  await chat.clock.advance(HOUR)

  const { people, days } = await ada.succeed('GET /realm/usage', { days: 2 })
  const longer = await ada.succeed('GET /realm/usage', { days: 5 })

  assert.deepEqual(people, { total: 3, active_1_day: 1, active_7_days: 2, active_30_days: 2 })
  const bytesOf = (rows: { stored_bytes: number }[]) => rows.map(({ stored_bytes }) => stored_bytes)
  assert.deepEqual(bytesOf(days), [100, 120])
  assert.deepEqual(bytesOf(longer.days), [0, 100, 100, 100, 120])
})

test('members cannot see the usage', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  assert.equal((await ben.call('GET /realm/usage')).msg, 'Must be an organization administrator')
})
