import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DiskFull } from '#lib/errors.ts'
import { openLog } from '#lib/log.ts'
import { Role } from '#rules/role.ts'
import { DatabaseUnavailable } from '#storage/storage.ts'
import { markDeactivated } from '../../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, START, startChat } from '../../../test/harness.ts'
import { leaveChannel } from '../../../test/messages.ts'
import { openScheduledMessageJob } from '../jobs.ts'

const MINUTE = 60

async function startDesign() {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo], { isPrivate: true })
  const inChannel = { type: 'channel', to: design.id, topic: 'tea', content: 'hi' }
  return { chat, ben, cleo, design, inChannel }
}

/** Schedules a message for `delay` seconds after the start. */
async function schedule(person: Person, delay: number, params: Record<string, unknown>): Promise<number> {
  const all = { ...params, scheduled_delivery_timestamp: START + delay }
  return (await person.succeed('POST /scheduled_messages', all))['scheduled_message_id']
}

/** Advances the clock. Messages that become due on the way are sent on time. */
async function pass(chat: Chat, seconds: number): Promise<void> {
  await chat.app.jobs.scheduledMessages.settled()
  await chat.clock.advance(seconds)
  await chat.app.jobs.scheduledMessages.settled()
}

/** Returns the messages that the person received, oldest first. */
async function received(chat: Chat, person: Person) {
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'message')
  return events.map(({ message, flags }): ReceivedEvent => ({ ...(message as ReceivedEvent), flags }))
}

const scheduledBy = async (person: Person) => (await person.succeed('GET /scheduled_messages'))['scheduled_messages']

test('a message is sent when it is due and is no longer scheduled', async () => {
  const { chat, ben, cleo, design, inChannel } = await startDesign()
  const id = await schedule(ben, MINUTE, inChannel)

  await pass(chat, MINUTE - 1)
  const early = await received(chat, cleo)
  await pass(chat, MINUTE)

  assert.deepEqual(early, [])
  const [message, ...others] = await received(chat, cleo)
  assert.partialDeepStrictEqual(message, {
    sender_id: ben.id,
    stream_id: design.id,
    subject: 'tea',
    content: 'hi',
    timestamp: START + MINUTE,
  })
  assert.deepEqual(others, [])
  assert.deepEqual(await scheduledBy(ben), [])
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'scheduled_messages',
    op: 'remove',
    scheduled_message_id: id,
  })
})

test('messages are sent in order and each at its own time, even if the clock jumps', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  const direct = { type: 'direct', to: [cleo.id] }
  await schedule(ben, 3 * MINUTE, { ...inChannel, content: 'three' })
  await schedule(ben, MINUTE, { ...direct, content: 'one' })
  await schedule(ben, 2 * MINUTE, { ...direct, content: 'two' })

  await pass(chat, 86_400)

  const messages = await received(chat, cleo)
  assert.deepEqual(
    messages.map(({ content, timestamp }) => [content, timestamp]),
    [
      ['one', START + MINUTE],
      ['two', START + 2 * MINUTE],
      ['three', START + 3 * MINUTE],
    ],
  )
})

test('a message is sent once if several workers send it at the same time', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  await schedule(ben, MINUTE, inChannel)
  await chat.app.jobs.scheduledMessages.settled()

  const looks = Array.from({ length: 5 }, () => chat.app.jobs.scheduledMessages.settled())
  await Promise.all([chat.clock.advance(MINUTE), ...looks, pass(chat, 0)])

  assert.equal((await received(chat, cleo)).length, 1)
})

test('a changed message is sent with its new content at its new time', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  const id = await schedule(ben, MINUTE, inChannel)
  const change = { content: 'ho', scheduled_delivery_timestamp: START + 3 * MINUTE }
  await ben.call(`PATCH /scheduled_messages/${id}`, change, { 'user-agent': 'website' })

  await pass(chat, 2 * MINUTE)
  const early = await received(chat, cleo)
  await pass(chat, MINUTE)

  assert.deepEqual(early, [])
  assert.partialDeepStrictEqual(await received(chat, cleo), [
    { content: 'ho', timestamp: START + 3 * MINUTE, client: 'website' },
  ])
})

test('a canceled message is not sent', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  const id = await schedule(ben, MINUTE, inChannel)
  await ben.succeed(`DELETE /scheduled_messages/${id}`)

  await pass(chat, 2 * MINUTE)

  assert.deepEqual(await received(chat, cleo), [])
})

test('mentions use the names at the time of sending', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  await schedule(ben, MINUTE, { ...inChannel, content: '@**Cleo**' })
  await cleo.succeed('PATCH /settings', { full_name: 'Cleopatra' })

  await pass(chat, MINUTE)

  const [message] = await received(chat, cleo)
  assert.deepEqual(message?.['flags'], [])
})

test('a note to self is unread, and so is a message scheduled as unread', async () => {
  const { chat, ben, cleo } = await startDesign()
  const headers = { 'user-agent': 'website' }
  const params = { type: 'direct', content: 'hi', scheduled_delivery_timestamp: START + MINUTE }
  await ben.call('POST /scheduled_messages', { ...params, to: [ben.id] }, headers)
  await ben.call('POST /scheduled_messages', { ...params, to: [cleo.id] }, headers)
  await ben.call('POST /scheduled_messages', { ...params, to: [cleo.id], read_by_sender: false }, headers)

  await pass(chat, MINUTE)

  const flags = (await received(chat, ben)).map((message) => message['flags'])
  assert.deepEqual(flags, [[], ['read'], []])
})

test('a sender who lost the permission to send is notified of the reason', async () => {
  const { chat, ben, cleo, design, inChannel } = await startDesign()
  const id = await schedule(ben, MINUTE, inChannel)
  await leaveChannel(ben, design)

  await pass(chat, MINUTE)

  const [notice, ...others] = await received(chat, ben)
  assert.equal(
    notice?.['content'],
    'The message you scheduled for <time:2030-01-05T10:01:00+00:00> was not sent because of the following error:\n\n' +
      `> Channel with ID '${design.id}' does not exist\n\n[View scheduled messages](#scheduled)`,
  )
  assert.equal(notice?.['sender_full_name'], 'Notification Bot')
  assert.deepEqual(others, [])
  assert.deepEqual(await received(chat, cleo), [])
  const [failed] = await scheduledBy(ben)
  assert.partialDeepStrictEqual(failed, { scheduled_message_id: id, failed: true })
  const update = (await chat.eventsOf(ben)).findLast(({ type }) => type === 'scheduled_messages')
  assert.deepEqual(update, { type: 'scheduled_messages', op: 'update', scheduled_message: failed })
})

test('a failed message is sent after it gets a new time', async () => {
  const { chat, ben, cleo, design, inChannel } = await startDesign()
  const id = await schedule(ben, MINUTE, inChannel)
  await leaveChannel(ben, design)
  await pass(chat, 2 * MINUTE)
  await cleo.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [ben.id] })

  const sameTime = await ben.call(`PATCH /scheduled_messages/${id}`, { content: 'ho' })
  await ben.succeed(`PATCH /scheduled_messages/${id}`, { scheduled_delivery_timestamp: START + 5 * MINUTE })
  const [revived] = await scheduledBy(ben)
  await pass(chat, 3 * MINUTE)

  assert.equal(sameTime.msg, 'Scheduled delivery time must be in the future.')
  assert.equal(revived.failed, false)
  assert.partialDeepStrictEqual((await received(chat, cleo)).at(-1), { content: 'hi', timestamp: START + 5 * MINUTE })
})

test('messages of deactivated users are not sent, and no notice is sent', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  await schedule(ben, MINUTE, inChannel)
  await markDeactivated(chat, ben)
  const before = await chat.eventsOf(ben)

  await pass(chat, MINUTE)

  assert.deepEqual(await received(chat, cleo), [])
  assert.deepEqual(await chat.eventsOf(ben), before)
  const row = await chat.app.services.db.selectFrom('scheduledMessages').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.failedAt, START + MINUTE)
})

test('messages of a deactivated organization are not sent, and no notice is sent', async () => {
  const { chat, ben, inChannel } = await startDesign()
  const owner = await chat.user('owner', { role: Role.owner })
  await schedule(ben, MINUTE, inChannel)
  await owner.succeed('POST /realm/deactivate')

  await pass(chat, MINUTE)

  const { db } = chat.app.services
  assert.deepEqual(await db.selectFrom('messages').select('content').execute(), [])
  const row = await db.selectFrom('scheduledMessages').select('failedAt').executeTakeFirstOrThrow()
  assert.equal(row.failedAt, START + MINUTE)
})

test('a message is sent up to ten minutes late, and fails a second later', async () => {
  const { chat, ben, cleo, inChannel } = await startDesign()
  await schedule(ben, MINUTE - 1, { ...inChannel, content: 'too late' })
  await schedule(ben, MINUTE, inChannel)
  await chat.app.jobs.scheduledMessages.close()
  await chat.clock.advance(11 * MINUTE)
  const { db, transaction, clock } = chat.app.services
  const scheduler = openScheduledMessageJob({ db, clock, log: openLog('silent'), transaction })

  await scheduler.settled()
  await scheduler.close()

  const sent = await received(chat, cleo)
  assert.deepEqual(
    sent.map(({ content }: Record<string, unknown>) => content),
    ['hi'],
  )
  const [failed, ...others] = await scheduledBy(ben)
  assert.deepEqual([failed.content, failed.failed, others], ['too late', true, []])
})

for (const fault of [new DatabaseUnavailable('timeout'), new DiskFull('The disk is full')]) {
  test(`a message that hits ${fault.constructor.name} does not fail and is sent a minute later`, async () => {
    const { chat, ben, cleo, inChannel } = await startDesign()
    await schedule(ben, MINUTE, inChannel)
    await chat.app.jobs.scheduledMessages.close()
    await chat.clock.advance(MINUTE)
    let faults = 1
    const { db, transaction, clock } = chat.app.services
    const scheduler = openScheduledMessageJob({
      db,
      clock,
      log: openLog('silent'),
      transaction: (work) => (faults-- > 0 ? Promise.reject(fault) : transaction(work)),
    })

    await scheduler.settled()
    const meanwhile = await scheduledBy(ben)
    await chat.clock.advance(MINUTE)
    await scheduler.settled()
    await scheduler.close()

    assert.equal(meanwhile[0].failed, false)
    assert.partialDeepStrictEqual(await received(chat, cleo), [{ content: 'hi', timestamp: START + 2 * MINUTE }])
    assert.deepEqual(await scheduledBy(ben), [])
  })
}
