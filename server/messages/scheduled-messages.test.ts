import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, START, startChat } from '../../test/harness.ts'

const LATER = START + 3600
const notFound = { ...refusalResponse('Scheduled message does not exist'), status: 404 }

async function received(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter(({ type }) => type === 'scheduled_messages')
}

async function startDesign() {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo])
  const inChannel = { type: 'channel', to: design.id, topic: 'tea', content: '*hi*' }
  const schedule = (params: Record<string, unknown>, person = ben) =>
    person.call('POST /scheduled_messages', { scheduled_delivery_timestamp: LATER, ...params })
  return { chat, ben, cleo, design, inChannel, schedule }
}

test('messages are scheduled, changed and canceled, and only their sender receives events', async () => {
  const { chat, ben, cleo, design, inChannel, schedule } = await startDesign()

  const { scheduled_message_id: first } = await schedule(inChannel)
  const { scheduled_message_id: second } = await schedule({
    type: 'direct',
    to: [cleo.id, ben.id],
    content: 'psst ',
    scheduled_delivery_timestamp: LATER - 1,
  })
  const listed = await ben.succeed('GET /scheduled_messages')
  await ben.succeed(`PATCH /scheduled_messages/${first}`, { content: 'ho', topic: 'milk' })
  await ben.succeed(`PATCH /scheduled_messages/${second}`, { to: [ben.id], scheduled_delivery_timestamp: LATER + 1 })
  await ben.succeed(`DELETE /scheduled_messages/${second}`)

  const firstMessage = {
    scheduled_message_id: first,
    type: 'stream',
    to: design.id,
    topic: 'tea',
    content: '*hi*',
    rendered_content: '<p><em>hi</em></p>',
    scheduled_delivery_timestamp: LATER,
    failed: false,
  }
  const other = {
    scheduled_message_id: second,
    type: 'private',
    to: [cleo.id],
    content: 'psst',
    rendered_content: '<p>psst</p>',
    scheduled_delivery_timestamp: LATER - 1,
    failed: false,
  }
  const changed = { ...firstMessage, topic: 'milk', content: 'ho', rendered_content: '<p>ho</p>' }
  assert.deepEqual(listed['scheduled_messages'], [other, firstMessage])
  assert.deepEqual(await received(chat, ben), [
    { type: 'scheduled_messages', op: 'add', scheduled_messages: [firstMessage] },
    { type: 'scheduled_messages', op: 'add', scheduled_messages: [other] },
    { type: 'scheduled_messages', op: 'update', scheduled_message: changed },
    {
      type: 'scheduled_messages',
      op: 'update',
      scheduled_message: { ...other, to: [ben.id], scheduled_delivery_timestamp: LATER + 1 },
    },
    { type: 'scheduled_messages', op: 'remove', scheduled_message_id: second },
  ])
  assert.deepEqual((await ben.succeed('GET /scheduled_messages'))['scheduled_messages'], [changed])
  const { scheduled_messages: known } = await ben.succeed('POST /register', { event_types: ['scheduled_messages'] })
  assert.deepEqual(known, [changed])
  assert.deepEqual(await received(chat, cleo), [])
})

test('a scheduled message can change from a topic to direct recipients and back', async () => {
  const { ben, cleo, design, inChannel, schedule } = await startDesign()
  const { scheduled_message_id: id } = await schedule(inChannel)
  const change = (params: Record<string, unknown>) => ben.succeed(`PATCH /scheduled_messages/${id}`, params)
  const recipient = async () => {
    const [message] = (await ben.succeed('GET /scheduled_messages'))['scheduled_messages']
    return [message.type, message.to, message.topic]
  }

  await change({ type: 'private', to: [cleo.id] })
  const direct = await recipient()
  await change({ topic: 'ignored' })
  const stillDirect = await recipient()
  await change({ type: 'stream', to: design.id, topic: 'milk' })

  assert.deepEqual(direct, ['private', [cleo.id], undefined])
  assert.deepEqual(stillDirect, direct)
  assert.deepEqual(await recipient(), ['stream', design.id, 'milk'])
})

test('scheduled messages of another user do not exist for the caller', async () => {
  const { ben, cleo, inChannel, schedule } = await startDesign()
  const { scheduled_message_id: id } = await schedule(inChannel)

  assert.deepEqual(await cleo.call(`PATCH /scheduled_messages/${id}`, { content: 'mine' }), notFound)
  assert.deepEqual(await cleo.call(`DELETE /scheduled_messages/${id}`), notFound)
  assert.deepEqual((await cleo.succeed('GET /scheduled_messages'))['scheduled_messages'], [])
  assert.equal((await ben.succeed('GET /scheduled_messages'))['scheduled_messages'].length, 1)
})

test('a message that could not be sent now cannot be scheduled', async () => {
  const { chat, ben, cleo, inChannel, schedule } = await startDesign()
  const secret = await chat.channel('secret', [], { isPrivate: true })
  const direct = { type: 'direct', to: [cleo.id], content: 'psst' }
  const cases: [Record<string, unknown>, string][] = [
    [{ ...inChannel, scheduled_delivery_timestamp: START }, 'Scheduled delivery time must be in the future.'],
    [{ ...inChannel, to: 'design' }, 'Invalid data type for channel ID'],
    [{ ...inChannel, to: [1] }, 'Invalid data type for channel ID'],
    [{ ...inChannel, topic: undefined }, 'Missing topic'],
    [{ ...inChannel, content: ' ' }, 'Message must not be empty'],
    [{ ...direct, to: cleo.id }, 'Invalid data type for recipients'],
    [{ ...direct, to: ['cleo@example.com'] }, 'Recipient list may only contain user IDs'],
    [{ ...direct, to: [] }, 'Message must have recipients'],
    [{ ...direct, to: [9999] }, 'Invalid user ID 9999'],
  ]

  for (const [params, msg] of cases) assert.deepEqual(await schedule(params), refusalResponse(msg))
  for (const to of [secret.id, 9999])
    assert.deepEqual(await schedule({ ...inChannel, to }), {
      ...refusalResponse(`Channel with ID '${to}' does not exist`, 'STREAM_DOES_NOT_EXIST'),
      stream_id: to,
    })

  assert.deepEqual((await ben.succeed('GET /scheduled_messages'))['scheduled_messages'], [])
})

test('an invalid change is refused and changes nothing', async () => {
  const { ben, cleo, inChannel, schedule } = await startDesign()
  const { scheduled_message_id: id } = await schedule(inChannel)
  const before = await ben.succeed('GET /scheduled_messages')
  const cases: [Record<string, unknown>, string][] = [
    [{}, 'Nothing to change'],
    [{ type: 'direct' }, 'Recipient required when updating type of scheduled message.'],
    [{ type: 'channel', to: 1 }, 'Topic required when updating scheduled message type to stream.'],
    [{ scheduled_delivery_timestamp: START - 1 }, 'Scheduled delivery time must be in the future.'],
    [{ to: [cleo.id] }, 'Invalid data type for channel ID'],
    [{ content: '' }, 'Message must not be empty'],
    [{ type: 'direct', to: [9999] }, 'Invalid user ID 9999'],
  ]

  for (const [params, msg] of cases)
    assert.deepEqual(await ben.call(`PATCH /scheduled_messages/${id}`, params), refusalResponse(msg))

  assert.deepEqual(await ben.succeed('GET /scheduled_messages'), before)
  assert.deepEqual(await ben.call('PATCH /scheduled_messages/9999', { content: 'hm' }), notFound)
})

test('a user can schedule at most a thousand messages', async () => {
  const { chat, ben, inChannel, schedule } = await startDesign()
  await schedule(inChannel)
  await chat.app.services.transaction(async (tx) => {
    const { id: _, ...row } = await tx.db.selectFrom('scheduledMessages').selectAll().executeTakeFirstOrThrow()
    for (let more = 1; more < 1000; more += 1) await tx.insertInto('scheduledMessages').values(row).execute()
  })

  const response = await schedule(inChannel)

  assert.deepEqual(response, refusalResponse('You can have at most 1000 scheduled messages.'))
  assert.equal((await ben.succeed('GET /scheduled_messages'))['scheduled_messages'].length, 1000)
})
