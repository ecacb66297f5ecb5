import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, START, startChat } from '../../../test/harness.ts'
import { invalidMessage, leaveChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'

const LATER = START + 3600
const noReminder = { ...refusalResponse('Reminder does not exist'), status: 404 }

async function startSecret() {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const secret = await chat.channel('secret', [ben, cleo], { isPrivate: true })
  const remind = (person: Person, messageId: number, params: Record<string, unknown> = {}) =>
    person.call('POST /reminders', { message_id: messageId, scheduled_delivery_timestamp: LATER, ...params })
  return { chat, ben, cleo, secret, remind }
}

async function untilDue(chat: Chat, seconds = 3600): Promise<void> {
  await chat.app.jobs.scheduledMessages.settled()
  await chat.clock.advance(seconds)
  await chat.app.jobs.scheduledMessages.settled()
}

const listed = async (person: Person) => (await person.succeed('GET /reminders'))['reminders']

/** Returns the direct messages that the person received from the notification bot, oldest first. */
async function reminders(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  const events = (await chat.eventsOf(person)).filter(({ type }) => type === 'message')
  return events
    .map(
      ({ message, rendered_content, flags }): ReceivedEvent => ({
        ...(message as ReceivedEvent),
        rendered_content,
        flags,
      }),
    )
    .filter(({ sender_email }) => String(sender_email).startsWith('notification-bot'))
}

test('a reminder links to its message and quotes it as it is when the reminder is sent', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  const id = await sendToChannel(cleo, secret, 'Round, please')
  const { reminder_id } = await remind(ben, id, { note: 'answer\ntoday' })
  const before = await listed(ben)
  await cleo.succeed(`PATCH /messages/${id}`, { content: 'Square, **please** ```' })

  await untilDue(chat)

  assert.deepEqual(before, [
    {
      reminder_id,
      type: 'private',
      to: [ben.id],
      content: 'answer\ntoday',
      rendered_content: '<p>answer<br>\ntoday</p>',
      scheduled_delivery_timestamp: LATER,
      failed: false,
      reminder_target_message_id: id,
    },
  ])
  const [reminder, ...others] = await reminders(chat, ben)
  const link = `http://parley.test/#narrow/channel/${secret.id}-secret/topic/tea/near/${id}`
  assert.deepEqual(
    reminder?.['content'],
    `You asked for a reminder of [a message](${link}) from @_**Cleo|${cleo.id}** in #**secret>tea**.` +
      '\n\n````quote\nSquare, **please** ```\n````\n\nYour note:\n\n> answer\n> today',
  )
  assert.deepEqual([reminder['timestamp'], reminder['flags'], others], [LATER, [], []])
  assert.deepEqual([await listed(ben), await reminders(chat, cleo)], [[], []])
})

test('a reminder of a message that the user can no longer read has its note only', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  const hidden = await sendToChannel(cleo, secret, 'the code word')
  const deleted = await sendDirect(cleo, [ben], 'the other code word')
  await remind(ben, hidden, { note: 'ask Cleo' })
  await remind(ben, deleted)
  await leaveChannel(ben, secret)
  await chat.change({ can_delete_own_message_group: 'role:everyone' })
  await cleo.succeed(`DELETE /messages/${deleted}`)

  await untilDue(chat)

  const gone = 'You asked for a reminder of a message that you can no longer read.'
  assert.deepEqual(
    (await reminders(chat, ben)).map(({ content }) => content),
    [`${gone}\n\nYour note:\n\n> ask Cleo`, gone],
  )
})

test('a quote shows its reader no names that they may not see, and mentions no one', async () => {
  const { chat, cleo, remind } = await startSecret()
  const other = await chat.channel('board', [cleo], { isPrivate: true })
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const open = await chat.channel('open', [gus, cleo])
  const id = await sendToChannel(cleo, open, '#**board** and @**gus** and @**all**')
  await leaveChannel(cleo, open)
  await remind(gus, id)

  await untilDue(chat)

  const [reminder] = await reminders(chat, gus)
  assert.match(String(reminder?.['content']), /from Unknown user in #\*\*open>tea\*\*/)
  const html = String(reminder?.['rendered_content'])
  assert.ok(html.includes('#<strong>board</strong>') && !html.includes(`data-stream-id="${other.id}"`), html)
  assert.deepEqual(reminder?.['flags'], [])
})

test('a message that is too long for a quote is only linked', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  await remind(ben, await sendToChannel(cleo, secret, 'x'.repeat(9990)))

  await untilDue(chat)

  assert.match(
    String((await reminders(chat, ben))[0]?.['content']),
    /^You asked for a reminder of \[a message\]\S+ [^`]+$/,
  )
})

test('a reminder is changed, deleted and listed on all devices of its user alone', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  const id = await sendToChannel(cleo, secret)
  const { reminder_id: first } = await remind(ben, id)
  const { reminder_id: second } = await remind(ben, id, { scheduled_delivery_timestamp: LATER + 60 })

  await ben.succeed(`PATCH /reminders/${first}`, { note: '*soon*', scheduled_delivery_timestamp: LATER + 120 })
  await ben.succeed(`DELETE /reminders/${second}`)

  const [changed, ...others] = await listed(ben)
  assert.partialDeepStrictEqual(changed, {
    reminder_id: first,
    content: '*soon*',
    rendered_content: '<p><em>soon</em></p>',
    scheduled_delivery_timestamp: LATER + 120,
  })
  assert.deepEqual(others, [])
  const events = (await chat.eventsOf(ben)).filter(({ type }) => type === 'reminders')
  assert.deepEqual(events.slice(2), [
    { type: 'reminders', op: 'remove', reminder_id: first },
    { type: 'reminders', op: 'add', reminders: [changed] },
    { type: 'reminders', op: 'remove', reminder_id: second },
  ])
  assert.deepEqual(
    (await chat.eventsOf(cleo)).filter(({ type }) => type === 'reminders'),
    [],
  )
  assert.deepEqual(await cleo.call(`PATCH /reminders/${first}`, { note: 'mine' }), noReminder)
  assert.deepEqual(await cleo.call(`DELETE /reminders/${first}`), noReminder)
})

test('reminders are no scheduled messages, and scheduled messages no reminders', async () => {
  const { ben, cleo, secret, remind } = await startSecret()
  const { reminder_id } = await remind(ben, await sendToChannel(cleo, secret))
  const message = { type: 'direct', to: [ben.id], content: 'hi', scheduled_delivery_timestamp: LATER }
  const { scheduled_message_id } = await ben.succeed('POST /scheduled_messages', message)

  const { scheduled_messages } = await ben.succeed('GET /scheduled_messages')
  assert.deepEqual(
    scheduled_messages.map((one: ReceivedEvent) => one['scheduled_message_id']),
    [scheduled_message_id],
  )
  assert.deepEqual(
    (await listed(ben)).map((one: ReceivedEvent) => one['reminder_id']),
    [reminder_id],
  )
  const noMessage = { ...refusalResponse('Scheduled message does not exist'), status: 404 }
  assert.deepEqual(await ben.call(`PATCH /scheduled_messages/${reminder_id}`, { content: 'x' }), noMessage)
  assert.deepEqual(await ben.call(`DELETE /scheduled_messages/${reminder_id}`), noMessage)
  assert.deepEqual(await ben.call(`PATCH /reminders/${scheduled_message_id}`, { note: 'x' }), noReminder)
  assert.deepEqual(await ben.call(`DELETE /reminders/${scheduled_message_id}`), noReminder)
})

test('a reminder is refused for unreadable messages, past times and long notes', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  const dan = await chat.user('dan')
  const id = await sendToChannel(cleo, secret)
  const { reminder_id } = await remind(ben, id)
  const past = { scheduled_delivery_timestamp: START }
  const long = { note: 'x'.repeat(501) }

  assert.deepEqual(await remind(dan, id), invalidMessage)
  assert.deepEqual(await remind(ben, 9999), invalidMessage)
  const messages = [await remind(ben, id, past), await remind(ben, id, long)].map(({ msg }) => msg)
  for (const change of [past, long, {}]) messages.push((await ben.call(`PATCH /reminders/${reminder_id}`, change)).msg)
  const [time, note] = [
    'Scheduled delivery time must be in the future.',
    'Maximum reminder note length: 500 characters',
  ]
  assert.deepEqual(messages, [time, note, time, note, 'Nothing to change'])
})

test('a reminder that failed because its user was deactivated is changed only together with its time', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  const olga = await chat.user('olga', { role: Role.owner })
  const { reminder_id: id } = await remind(ben, await sendToChannel(cleo, secret))
  await olga.succeed(`DELETE /users/${ben.id}`)
  await untilDue(chat)
  await olga.succeed(`POST /users/${ben.id}/reactivate`)

  const sameTime = await ben.call(`PATCH /reminders/${id}`, { note: 'soon' })
  const [failed] = await listed(ben)
  await ben.succeed(`PATCH /reminders/${id}`, { scheduled_delivery_timestamp: LATER + 60 })
  const [revived] = await listed(ben)

  assert.equal(sameTime.msg, 'Scheduled delivery time must be in the future.')
  assert.deepEqual([failed.failed, failed.content, revived.failed], [true, '', false])
})

test('clients of other servers get reminders only if they ask for them', async () => {
  const { ben, cleo, secret, remind } = await startSecret()
  const registered = []
  for (const form of [{}, { event_types: ['reminders'] }, { client_capabilities: { parley_extensions: true } }])
    registered.push(await ben.succeed('POST /register', form))

  await remind(ben, await sendToChannel(cleo, secret))

  const received = []
  for (const { queue_id } of registered) {
    const { events } = await ben.succeed('GET /events', { queue_id, last_event_id: -1, dont_block: true })
    received.push(events.filter(({ type }: ReceivedEvent) => type === 'reminders').length)
  }
  assert.deepEqual(
    registered.map((state) => state['reminders']),
    [undefined, [], []],
  )
  assert.deepEqual(received, [0, 1, 1])
})

test('a reminder is sent once by several workers', async () => {
  const { chat, ben, cleo, secret, remind } = await startSecret()
  await remind(ben, await sendToChannel(cleo, secret))
  await chat.app.jobs.scheduledMessages.settled()

  const looks = Array.from({ length: 5 }, () => chat.app.jobs.scheduledMessages.settled())
  await Promise.all([chat.clock.advance(3600), ...looks, untilDue(chat, 0)])

  assert.equal((await reminders(chat, ben)).length, 1)
})
