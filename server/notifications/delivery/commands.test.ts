import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'
import {
  advanceAndSettle,
  allowsLoopback,
  createWebhookBot,
  messagesFrom,
  startWebhookReceiver,
  status,
} from '../../../test/webhook-receiver.ts'

/** Starts an organization in which Ben's bot Hook has the command /tea. Ben and Cleo are in #design, the bot is not. */
async function start({ byInterface = 1, isPrivate = false } = {}) {
  const chat = await startChat({ settings: allowsLoopback })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo], { isPrivate })
  const receiver = await startWebhookReceiver()
  const hook = await createWebhookBot(ben, receiver.url, { byInterface })
  await ben.succeed(`PUT /bots/${hook.id}/commands`, { commands: [{ name: 'tea' }] })
  const form = async () => {
    await chat.app.jobs.webhooks.settled()
    return receiver.received.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  }
  const payloads = async () => {
    await chat.app.jobs.webhooks.settled()
    return receiver.payloads()
  }
  return { chat, ben, cleo, design, receiver, hook, bot: { id: hook.id } as Person, form, payloads }
}

test('a message with a command is sent, delivered to the bot, and answered in its topic', async () => {
  const { chat, cleo, design, receiver, hook, payloads } = await start()
  receiver.behave({ content: 'green' })

  await sendToChannel(cleo, design, '/tea for two', 'kitchen')

  const [payload] = await payloads()
  assert.partialDeepStrictEqual(payload, {
    data: '/tea for two',
    trigger: 'command',
    command: { name: 'tea', text: 'for two' },
    message: { content: '/tea for two', subject: 'kitchen', sender_id: cleo.id },
    token: hook.token,
  })
  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['green'])
  assert.deepEqual(await messagesFrom(chat, cleo, cleo), ['/tea for two'])
})

for (const [content, count] of [
  ['/tea', 1],
  ['/TEA now', 1],
  ['/tea\nfor two', 1],
  ['/teapot', 0],
  ['/tea/cup', 0],
  [' `/tea`', 0],
  ['now /tea', 0],
  ['> /tea', 0],
  ['/coffee', 0],
] as const) {
  test(`the message ${JSON.stringify(content)} is ${count === 1 ? '' : 'not '}delivered as a command`, async () => {
    const { cleo, design, payloads } = await start()

    await sendToChannel(cleo, design, content)

    assert.equal((await payloads()).length, count)
  })
}

test('a command that mentions its bot is delivered once, and mentions of others are delivered, too', async () => {
  const { ben, cleo, design, payloads } = await start()
  const other = await startWebhookReceiver()
  await createWebhookBot(ben, other.url, { name: 'Other' })

  await sendToChannel(cleo, design, '/tea @**Hook** @**Other**')

  assert.deepEqual(
    (await payloads()).map(({ trigger }) => trigger),
    ['command'],
  )
  assert.deepEqual(
    other.payloads().map(({ trigger }) => trigger),
    ['mention'],
  )
})

test('in a private channel or a direct message, a command reaches the bot only if it takes part', async () => {
  const { ben, cleo, design, bot, payloads } = await start({ isPrivate: true })

  await sendToChannel(cleo, design, '/tea outside')
  await sendDirect(cleo, [ben], '/tea between us')
  const outside = (await payloads()).length
  await addToChannel(ben, design, [bot])
  await sendToChannel(cleo, design, '/tea inside')
  await sendDirect(cleo, [bot], '/tea alone')

  assert.equal(outside, 0)
  assert.deepEqual(
    (await payloads()).map(({ trigger, command }) => [trigger, command.text]),
    [
      ['command', 'inside'],
      ['command', 'alone'],
    ],
  )
})

test('a guest bot gets no command from a public channel that it cannot read', async () => {
  const { chat, ben, cleo, design, hook, payloads } = await start()
  const ada = await chat.user('ada', { role: 100 })
  await ada.succeed(`PATCH /bots/${hook.id}`, { role: 600 })

  await sendToChannel(cleo, design, '/tea')

  assert.deepEqual(await payloads(), [])
  const { deliveries } = await ben.succeed(`GET /bots/${hook.id}/outgoing_deliveries`)
  assert.partialDeepStrictEqual(deliveries, [{ outcome: 'left_out', trigger: 'command', status: null }])
})

test('commands of bots, edits, and commands of deactivated bots are not delivered', async () => {
  const { chat, ben, cleo, design, hook, payloads } = await start()
  const robo = await chat.user('robo', { botType: 1, owner: ben })

  await sendToChannel(robo, design, '/tea')
  const id = await sendToChannel(cleo, design, 'hello')
  await cleo.succeed(`PATCH /messages/${id}`, { content: '/tea' })
  await ben.succeed(`DELETE /bots/${hook.id}`)
  await sendToChannel(cleo, design, '/tea')

  assert.deepEqual(await payloads(), [])
})

test('a command that is edited away before the next attempt is not delivered', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start()
  receiver.behave((response) => response.destroy())
  const id = await sendToChannel(cleo, design, '/tea secret')
  await chat.app.jobs.webhooks.settled()

  await cleo.succeed(`PATCH /messages/${id}`, { content: 'never mind' })
  await advanceAndSettle(chat, 1)

  assert.equal(receiver.received.length, 1)
  const { deliveries } = await ben.succeed(`GET /bots/${hook.id}/outgoing_deliveries`)
  assert.partialDeepStrictEqual(deliveries, [
    { outcome: 'left_out', text: 'The message no longer starts with a command of the bot.' },
  ])
})

test('the Slack-compatible format has the command and its text as in Slack, also in direct messages', async () => {
  const { cleo, design, hook, bot, form } = await start({ byInterface: 2 })

  await sendToChannel(cleo, design, '/tea for two')
  await sendDirect(cleo, [bot], '/tea')

  const [inChannel, direct] = await form()
  const common = { token: hook.token, user_id: `U${cleo.id}`, trigger_word: 'command', command: '/tea' }
  assert.partialDeepStrictEqual(inChannel, {
    ...common,
    text: 'for two',
    channel_id: `C${design.id}`,
    channel_name: 'design',
  })
  assert.partialDeepStrictEqual(direct, { ...common, text: '', channel_name: 'directmessage' })
  assert.match(direct?.['channel_id'] ?? '', /^D\d+$/)
})

for (const [what, body, type, sent] of [
  ['plain text', 'green', 'text/plain; charset=utf-8', ['green']],
  ['nothing', '', 'text/plain', []],
  ['JSON that is declared as text', '{"text": "green"}', 'text/plain', ['green']],
  ['a page', '<p>green</p>', 'text/html', ['Failure! Invalid JSON in response']],
] as const) {
  test(`a program written for Slack responds with ${what}`, async () => {
    const { chat, cleo, design, receiver, hook } = await start({ byInterface: 2 })
    receiver.behave(status(200, body, { 'content-type': type }))

    await sendToChannel(cleo, design, '/tea')

    assert.deepEqual(await messagesFrom(chat, hook, cleo), sent)
  })
}
