import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_RESPONSE_SIZE } from '#lib/guarded-fetch.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { type Person, type StartOptions, startChat } from '../../../test/harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'
import {
  advanceAndSettle,
  allowsLoopback,
  createWebhookBot,
  messagesFrom,
  messagesReceivedBy,
  startWebhookReceiver,
  status,
} from '../../../test/webhook-receiver.ts'

/** Starts an organization in which Ben owns the bot Hook, and Cleo asks it questions in #design. */
async function start(options: StartOptions = {}) {
  const chat = await startChat({ ...options, settings: { ...allowsLoopback, ...options.settings } })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo])
  const receiver = await startWebhookReceiver()
  const hook = await createWebhookBot(ben, receiver.url)
  const events = async () => (await messagesReceivedBy(chat, ben)).filter(({ type }) => type === 'private')
  return { chat, ben, cleo, design, receiver, hook, ownerEvents: events }
}

const fence = '```'

test('an error status is reported in the topic, and to the owner with the response', async () => {
  const { chat, cleo, design, receiver, hook, ownerEvents: events } = await start()
  receiver.behave(status(503, 'out of tea'))

  const id = await sendToChannel(cleo, design, '@**Hook**', 'black tea')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['Failure! Third party responded with 503'])
  assert.deepEqual(
    (await events()).map(({ sender_id, content }) => [sender_id, content]),
    [
      [
        hook.id,
        `[A message](http://parley.test/#narrow/channel/${design.id}-design/topic/black.20tea/near/${id}) to your bot @_**Hook|${hook.id}** triggered an outgoing webhook.
The webhook got a response with status code *503*.

The response contains the following payload:
${fence}
out of tea
${fence}`,
      ],
    ],
  )
  assert.equal(receiver.received.length, 1)
})

test('the link to a direct message opens the conversation', async () => {
  const { ben, cleo, receiver, hook, ownerEvents: events } = await start()
  receiver.behave(status(400, ' \n'))

  const id = await sendDirect(cleo, [{ id: hook.id } as Person])

  const ids = [ben.id, cleo.id, hook.id].filter((one) => one !== ben.id).toSorted()
  const [notice] = await events()
  assert.ok(notice?.content.startsWith(`[A message](http://parley.test/#narrow/dm/${ids.join()}-dm/near/${id})`))
  assert.ok(notice?.content.endsWith('The webhook got a response with status code *400*.'))
})

for (const [answer, reason] of [
  ['no JSON', 'Invalid JSON in response'],
  ['', 'Invalid JSON in response'],
  ['[]', 'Invalid response format'],
  ['"hello"', 'Invalid response format'],
  ['null', 'Invalid response format'],
  ['{"content": "hi", "widget_content": "{"}', 'Widgets: widget_content is not a form of choices'],
  ['{"content": "hi", "widget_content": {"widget_type": "poll"}}', 'Widgets: widget_content is not a form of choices'],
  ['{"content": "a\\u0000b"}', 'Message must not contain null bytes'],
] as const) {
  test(`the response ${answer || 'without content'} is reported as a failure with the reason`, async () => {
    const { chat, cleo, design, receiver, hook, ownerEvents: events } = await start()
    receiver.behave(status(200, answer))

    await sendToChannel(cleo, design, '@**Hook**')

    assert.deepEqual(await messagesFrom(chat, hook, cleo), [`Failure! ${reason}`])
    const [notice] = await events()
    assert.ok(notice?.content.includes(`resulted in the following error:\n> ${reason}`), notice?.content)
  })
}

test('a redirection is a failure, and its content is not sent', async () => {
  const { chat, cleo, design, receiver, hook } = await start()
  receiver.behave(status(300, '{"content": "elsewhere"}'))

  await sendToChannel(cleo, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['Failure! Third party responded with 300'])
})

test('a response with status 204 or an empty string sends no message', async () => {
  const { chat, ben, cleo, design, receiver } = await start()

  for (const answer of [status(204), status(200, '""')]) {
    receiver.behave(answer)
    await sendToChannel(cleo, design, '@**Hook**')
  }

  assert.equal((await messagesReceivedBy(chat, ben)).length, 2)
})

test('a response that is too large is a failure, and a long one is truncated like any message', async () => {
  const { chat, cleo, design, receiver, hook } = await start()

  receiver.behave(status(200, ' '.repeat(MAX_RESPONSE_SIZE + 1)))
  await sendToChannel(cleo, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()
  receiver.behave({ content: 'x'.repeat(20_000) })
  await sendToChannel(cleo, design, '@**Hook**')

  const sent = await messagesFrom(chat, hook, cleo)
  assert.equal(sent[0], 'Failure! The response is too large.')
  assert.equal(sent[1]?.length, 10_000)
  assert.equal(sent.length, 2)
})

test('the quoted response of a receiver cannot break out of its code block, and is truncated', async () => {
  const { cleo, design, receiver, ownerEvents: events } = await start()
  receiver.behave(status(500, `${fence}\`\n@**all** ${'😀'.repeat(2000)}`))

  await sendToChannel(cleo, design, '@**Hook**')

  const [notice] = await events()
  const [, framed = ''] = /\n`{5}\n(.*)\n`{5}$/s.exec(notice?.content ?? '') ?? []
  assert.ok(framed.startsWith(`${fence}\`\n@**all** 😀`))
  assert.ok(framed.endsWith('…'))
  assert.ok(framed.length <= 1001)
})

test('an unreachable receiver is called again, and its response is sent', async () => {
  const { chat, cleo, design, receiver, hook, ownerEvents: events } = await start()
  receiver.behave((response) => response.destroy())

  await sendToChannel(cleo, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()
  receiver.behave({ content: 'here again' })
  await advanceAndSettle(chat, 0.9)
  const early = receiver.received.length
  await advanceAndSettle(chat, 0.1)

  assert.equal(early, 1)
  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['here again'])
  assert.deepEqual(await events(), [])
  assert.deepEqual(receiver.payloads()[0], receiver.payloads()[1])
})

test('after four attempts a call is given up and reported, and the next message follows', async () => {
  const { chat, cleo, design, receiver, hook, ownerEvents: events } = await start()
  receiver.behave((response) => response.destroy())

  await sendToChannel(cleo, design, '@**Hook** one')
  await sendToChannel(cleo, design, '@**Hook** two')
  await advanceAndSettle(chat, 25)
  const before = [receiver.received.length, await messagesFrom(chat, hook, cleo)]
  await advanceAndSettle(chat, 1)
  const after = receiver.payloads().map(({ data }) => data.split(' ')[1])
  await advanceAndSettle(chat, 3600)

  assert.deepEqual(before, [3, []])
  assert.deepEqual(after, ['one', 'one', 'one', 'one', 'two'])
  assert.equal(receiver.received.length, 8)
  assert.deepEqual(await messagesFrom(chat, hook, cleo), Array(2).fill('Failure! Bot is unavailable'))
  assert.match(
    (await events())[0]?.content ?? '',
    /A connection error occurred\. Is my bot server down\? \(ECONNRESET\)$/,
  )
})

test('a receiver that takes too long is called again a few times', async () => {
  const {
    chat,
    cleo,
    design,
    receiver,
    hook,
    ownerEvents: events,
  } = await start({
    settings: { OUTGOING_WEBHOOK_TIMEOUT_SECONDS: 3 },
  })
  receiver.behave(() => {})
  await sendToChannel(cleo, design, '@**Hook**')

  for (const delay of [1, 5, 20]) await advanceAndSettle(chat, delay)

  assert.equal(receiver.received.length, 4)
  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['Failure! Bot is unavailable'])
  assert.match((await events())[0]?.content ?? '', /Request timed out after 3 seconds\.$/)
})

test('without the setting no receiver on the same machine is called, and the owner is notified at once', async () => {
  const {
    chat,
    cleo,
    design,
    receiver,
    hook,
    ownerEvents: events,
  } = await start({ settings: { OUTGOING_WEBHOOK_PRIVATE_HOSTS: [] } })

  await sendToChannel(cleo, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['Failure! Bot is unavailable'])
  assert.match(
    (await events())[0]?.content ?? '',
    /The URL configured for the webhook is for a private or disallowed network\.$/,
  )
  assert.deepEqual(receiver.received, [])
})

test('a bot that may not send messages to the topic does not respond, and its owner gets the reason', async () => {
  const { chat, ben, cleo, design, receiver, hook, ownerEvents: events } = await start()
  receiver.behave({ content: 'hello' })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('channels').set({ settings: '{"can_send_message_group":"role:administrators"}' }).execute(),
  )
  const ada = await chat.user('ada', { role: 200 })
  await addToChannel(ben, design, [ada])
  const denied = await cleo.call('POST /messages', { type: 'channel', to: design.id, topic: 'tea', content: 'hi' })

  await sendToChannel(ada, design, '@**Hook**')

  assert.deepEqual(denied, refusalResponse('You do not have permission to post in this channel.'))
  assert.deepEqual(await messagesFrom(chat, hook, cleo), [])
  assert.match(
    (await events())[0]?.content ?? '',
    /following error:\n> You do not have permission to post in this channel\./,
  )
})

test('the bot informs its owner where users may not send direct messages, too', async () => {
  const { chat, cleo, design, receiver, ownerEvents: events } = await start()
  receiver.behave(status(500))
  await chat.change({ direct_message_permission_group: 'role:nobody' })

  await sendToChannel(cleo, design, '@**Hook**')

  const [notice, ...others] = await events()
  assert.equal(notice?.['sender_full_name'], 'Hook')
  assert.match(notice?.content ?? '', /status code \*500\*/)
  assert.deepEqual(others, [])
})

test('a call that fails because of the server does not hold up other bots, and is repeated', async () => {
  const { log, errors } = collectLog()
  const { chat, ben, cleo, design, receiver, hook } = await start({ log })
  const other = await startWebhookReceiver()
  await createWebhookBot(ben, other.url, { name: 'Other' })
  receiver.behave((response) => response.destroy())
  const id = await sendToChannel(cleo, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()
  const breakIt = (editHistory: string | null) =>
    chat.app.services.transaction((tx) =>
      tx.updateTable('messages').set({ editHistory }).where('id', '=', id).execute(),
    )

  await breakIt('no JSON')
  await advanceAndSettle(chat, 1)
  await sendToChannel(cleo, design, '@**Other**')
  await chat.app.jobs.webhooks.settled()
  receiver.behave({ content: 'fixed' })
  await breakIt(null)
  await advanceAndSettle(chat, 30)

  assert.equal(other.received.length, 1)
  assert.deepEqual(
    errors.map(({ botId, messageId }) => [botId, messageId]),
    [[hook.id, id]],
  )
  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['fixed'])
})

test('a failure of a bot without an owner is reported in the conversation only', async () => {
  const { chat, ben, cleo, design, receiver, hook, ownerEvents: events } = await start()
  receiver.behave(status(500))
  await chat.app.services.transaction((tx) =>
    tx.updateTable('users').set({ deactivatedAt: tx.now }).where('id', '=', ben.id).execute(),
  )

  await sendToChannel(cleo, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['Failure! Third party responded with 500'])
  assert.deepEqual(await events(), [])
})
