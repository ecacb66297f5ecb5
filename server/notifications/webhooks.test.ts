import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { advanceCounter } from '#storage/counters.ts'
import { markDeactivated } from '../../test/channels.ts'
import { type Chat, type Person, START, type StartOptions, startChat } from '../../test/harness.ts'
import { addToChannel, fetchMessage, leaveChannel, sendDirect, sendToChannel } from '../../test/messages.ts'
import { noReferenceSchemas } from '../../test/reference/document.ts'
import { differencesFromReference } from '../../test/reference/response-differences.ts'
import {
  advanceAndSettle,
  allowsLoopback,
  createWebhookBot,
  messagesFrom,
  messagesReceivedBy,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../test/webhook-receiver.ts'

/** Starts an organization with Ben and Cleo in #design. Hook is Ben's bot, and not subscribed to any channel. */
async function start(options: StartOptions & { byInterface?: number; isPrivate?: boolean } = {}) {
  const { byInterface = 1, isPrivate = false, ...given } = options
  const chat = await startChat({ ...given, settings: { ...allowsLoopback, ...given.settings } })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo], { isPrivate })
  const receiver = await startWebhookReceiver()
  const hook = await createWebhookBot(ben, receiver.url, { byInterface })
  return { chat, ben, cleo, design, receiver, hook }
}

const come = async ({ app }: Chat, receiver: WebhookReceiver) => {
  await app.jobs.webhooks.settled()
  return receiver.received.length
}

test('a mention calls the webhook in the format of the reference server, and the response is sent to the topic', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start()
  receiver.behave({ content: 'beep **boop**' })

  const id = await sendToChannel(ben, design, '@**Hook** tea?', 'kitchen')

  const sent = (await messagesReceivedBy(chat, cleo)).at(-1)
  assert.partialDeepStrictEqual(sent, {
    sender_id: hook.id,
    display_recipient: 'design',
    subject: 'kitchen',
    content: 'beep **boop**',
    client: 'OutgoingWebhookResponse',
  })
  const [payload] = receiver.payloads()
  const { flags: _, rendered_content: _same, ...message } = await fetchMessage(cleo, id, { apply_markdown: false })
  const rendered_content = (await fetchMessage(cleo, id)).content
  assert.deepEqual(payload, {
    bot_email: 'hook-bot@parley.test',
    bot_full_name: 'Hook',
    data: '@**Hook** tea?',
    message: { ...message, avatar_url: payload.message.avatar_url, rendered_content },
    token: hook.token,
    trigger: 'mention',
  })
  assert.match(payload.message.avatar_url, /^https:/)
  assert.partialDeepStrictEqual(receiver.received[0]?.headers, {
    'content-type': 'application/json',
    'user-agent': 'ParleyOutgoingWebhook',
  })
})

test('the payload conforms to the schema of the reference server', { skip: noReferenceSchemas }, async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start()

  await sendToChannel(ben, design, '@**Hook** tea?')
  await sendDirect(cleo, [{ id: hook.id } as Person], 'psst')
  await chat.app.jobs.webhooks.settled()

  const differences = receiver.payloads().map((one) => differencesFromReference('POST /zulip-outgoing-webhook', one))
  assert.deepEqual(differences, [[], []])
})

test('a direct message calls the webhook, and the response goes to the whole conversation', async () => {
  const { chat, ben, cleo, receiver, hook } = await start()
  receiver.behave({ content: 'psst' })
  const bot = { id: hook.id } as Person

  await sendDirect(ben, [bot], 'alone?')
  await sendDirect(ben, [bot, cleo], 'together?')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['psst'])
  assert.deepEqual(await messagesFrom(chat, hook, ben), ['psst', 'psst'])
  assert.deepEqual(
    receiver
      .payloads()
      .map(({ data, trigger, message }) => [
        data,
        trigger,
        message.type,
        message.display_recipient.map((one: { id: number }) => one.id).toSorted(),
      ]),
    [
      ['alone?', 'direct_message', 'private', [ben.id, hook.id].toSorted()],
      ['together?', 'direct_message', 'private', [ben.id, cleo.id, hook.id].toSorted()],
    ],
  )
})

test('the Slack-compatible interface sends a form, and reads the text of the response', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start({ byInterface: 2 })
  receiver.behave({ text: 'beep', content: 'not this' })

  const id = await sendToChannel(ben, design, '@**Hook** tea & milk?')

  assert.deepEqual(await messagesFrom(chat, hook, cleo), ['beep'])
  const [{ headers, body } = assert.fail()] = receiver.received
  assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
  assert.equal(headers['x-parley-message-id'], String(id))
  const timestamp = String(chat.clock.now())
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    token: hook.token,
    team_id: `T${chat.realm.id}`,
    team_domain: 'parley.test',
    channel_id: `C${design.id}`,
    channel_name: 'design',
    thread_ts: timestamp,
    timestamp,
    user_id: `U${ben.id}`,
    user_name: 'Ben',
    text: '@**Hook** tea & milk?',
    trigger_word: 'mention',
    service_id: String(hook.id),
  })
})

test('a direct message to a Slack-compatible bot does not call the webhook, and the bot says why', async () => {
  const { chat, ben, cleo, receiver, hook } = await start({ byInterface: 2 })

  await sendDirect(cleo, [{ id: hook.id } as Person])

  assert.deepEqual(await messagesFrom(chat, hook, cleo), [
    "Failure! Slack outgoing webhooks don't support direct messages.",
  ])
  assert.match((await messagesFrom(chat, hook, ben)).join(), /triggered an outgoing webhook/)
  assert.deepEqual(receiver.received, [])
})

for (const [answer, sent] of [
  [{ response_string: 'old' }, ['old']],
  [{ response_string: 'old', content: 'new' }, ['old']],
  [{ content: 7 }, ['7']],
  [{ content: 'no', response_not_required: true }, []],
  [{ content: 'yes', response_not_required: false }, ['yes']],
  [{ content: ' \n' }, []],
  [{ content: null }, []],
  [{ text: 'Slack’s' }, []],
  [{}, []],
] as const) {
  test(`the response ${JSON.stringify(answer)} makes the bot send ${JSON.stringify(sent)}`, async () => {
    const { chat, ben, cleo, design, receiver, hook } = await start()
    receiver.behave(answer)

    await sendToChannel(ben, design, '@**Hook**')

    assert.deepEqual(await messagesFrom(chat, hook, cleo), sent)
    assert.equal((await messagesReceivedBy(chat, ben)).length, 1 + sent.length)
  })
}

test('a response may contain a form widget, as JSON or as a string of it', async () => {
  const { chat, ben, cleo, design, receiver } = await start()
  const choices = [{ type: 'multiple_choice', short_name: 'A', long_name: 'Green', reply: 'green' }]
  const form = { widget_type: 'zform', extra_data: { type: 'choices', heading: 'Tea?', choices } }

  for (const widget_content of [form, JSON.stringify(form)]) {
    receiver.behave({ content: 'tea?', widget_content })
    await sendToChannel(ben, design, '@**Hook**')
    await chat.app.jobs.webhooks.settled()
  }

  const sent = (await messagesReceivedBy(chat, cleo)).filter(({ content }) => content === 'tea?')
  assert.equal(sent.length, 2)
  for (const { submessages } of sent)
    assert.deepEqual(JSON.parse((submessages as { content: string }[])[0]?.content ?? ''), form)
})

test('messages from bots call no webhook, so that two bots cannot talk forever', async () => {
  const { chat, ben, design, receiver } = await start()
  const other = await startWebhookReceiver()
  await createWebhookBot(ben, other.url, { name: 'Other' })
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  receiver.behave({ content: 'and you, @**Other**?' })

  await sendToChannel(robo, design, '@**Hook** @**Other**')
  await sendToChannel(ben, design, '@**Hook**')

  assert.equal(await come(chat, receiver), 1)
  assert.deepEqual(other.received, [])
})

test('silent mentions, mentions in code or quotes, wildcard mentions and edits call no webhook', async () => {
  const { chat, ben, design, receiver } = await start()

  for (const content of ['@_**Hook**', '`@**Hook**`', '> @**Hook**', '@**all**'])
    await sendToChannel(ben, design, content)
  const id = await sendToChannel(ben, design, 'hi')
  await ben.succeed(`PATCH /messages/${id}`, { content: '@**Hook**' })

  assert.equal(await come(chat, receiver), 0)
})

test('a mention of a group calls the webhooks of its subscribed bots', async () => {
  const { chat, ben, design, receiver, hook } = await start()
  await chat.user('ada', { role: Role.owner })
  const created = await ben.call('POST /user_groups/create', { name: 'robots', description: '', members: [hook.id] })
  assert.equal(created.result, 'success')

  await sendToChannel(ben, design, '@*robots*')
  const before = await come(chat, receiver)
  await addToChannel(ben, design, [{ id: hook.id } as Person])
  await sendToChannel(ben, design, '@*robots*')

  assert.equal(before, 0)
  assert.equal(await come(chat, receiver), 1)
})

test('in a private channel a mention calls the webhook only while the bot is subscribed', async () => {
  const { chat, ben, design, receiver, hook } = await start({ isPrivate: true })
  const bot = { id: hook.id } as Person

  await sendToChannel(ben, design, '@**Hook** outside')
  const outside = await come(chat, receiver)
  await addToChannel(ben, design, [bot])
  await sendToChannel(ben, design, '@**Hook** inside')
  const inside = await come(chat, receiver)

  assert.deepEqual([outside, inside], [0, 1])
  assert.equal(receiver.payloads()[0].data, '@**Hook** inside')
})

test('a pending call is dropped when the bot leaves, it or its organization is deactivated, or the message is deleted', async () => {
  const { chat, ben, design, receiver, hook } = await start({ isPrivate: true })
  const bot = { id: hook.id } as Person
  await chat.change({ can_delete_own_message_group: 'role:everyone' })
  await addToChannel(ben, design, [bot])
  receiver.behave((response) => response.destroy())
  const waits = async () => (await chat.app.services.db.selectFrom('webhookCalls').selectAll().execute()).length
  const interrupt = async (deed: (id: number) => Promise<unknown>) => {
    const before = receiver.received.length
    const id = await sendToChannel(ben, design, '@**Hook**')
    await chat.app.jobs.webhooks.settled()
    assert.equal(receiver.received.length, before + 1)
    await deed(id)
    await advanceAndSettle(chat, 60)
    assert.equal(receiver.received.length, before + 1)
    assert.equal(await waits(), 0)
  }

  await interrupt((id) => ben.succeed(`DELETE /messages/${id}`))
  await interrupt(() =>
    ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'], principals: [hook.id] }),
  )
  await addToChannel(ben, design, [bot])
  const setDeactivated = (deactivatedAt: number | null) =>
    chat.app.services.transaction((tx) => saveRealmFields(tx, chat.realm.id, { deactivatedAt }))
  await interrupt(() => setDeactivated(START))
  await setDeactivated(null)
  await interrupt(() => ben.succeed(`DELETE /bots/${hook.id}`))

  assert.deepEqual(await messagesFrom(chat, hook, ben), [])
})

test('a bot that is deactivated while its receiver works sends nothing', async () => {
  const { chat, ben, design, receiver, hook } = await start()
  receiver.behave(async (response) => {
    await markDeactivated(chat, { id: hook.id } as Person)
    response.end('{"content": "too late"}')
  })

  await sendToChannel(ben, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, ben), [])
})

test('a message that is deleted while the receiver works gets no response', async () => {
  const { chat, ben, design, receiver, hook } = await start()
  await chat.change({ can_delete_own_message_group: 'role:everyone' })
  receiver.behave(async (response, { body }) => {
    await ben.succeed(`DELETE /messages/${JSON.parse(body).message.id}`)
    response.end('{"content": "what?"}')
  })

  await sendToChannel(ben, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, ben), [])
})

test('a message that is moved while the receiver works gets its response in the new conversation, if the bot may read it', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start()
  const ada = await chat.user('ada', { role: Role.owner })
  const [open, closed] = [
    await chat.channel('open', [ada]),
    await chat.channel('closed', [ada, cleo], { isPrivate: true }),
  ]
  await addToChannel(ben, design, [ada])
  const moving = (to: { id: number }) =>
    receiver.behave(async (response, { body }) => {
      const move = { stream_id: to.id, topic: 'elsewhere', propagate_mode: 'change_one' }
      const notices = { send_notification_to_old_thread: false, send_notification_to_new_thread: false }
      await ada.succeed(`PATCH /messages/${JSON.parse(body).message.id}`, { ...move, ...notices })
      response.end('{"content": "beep"}')
    })

  moving(open)
  await sendToChannel(ben, design, '@**Hook** one')
  await chat.app.jobs.webhooks.settled()
  moving(closed)
  await sendToChannel(ben, design, '@**Hook** two')
  await chat.app.jobs.webhooks.settled()

  const messages = chat.app.services.db
    .selectFrom('messages')
    .innerJoin('channels', 'channels.id', 'messages.channelId')
  const sent = await messages.select(['channels.name', 'topic']).where('senderId', '=', hook.id).execute()
  assert.deepEqual(sent, [{ name: 'open', topic: 'elsewhere' }])
  assert.equal(receiver.received.length, 2)
})

test('at most a thousand messages wait for a bot whose receiver hangs', async () => {
  const { chat, ben, design, receiver, hook } = await start({ settings: { OUTGOING_WEBHOOK_TIMEOUT_SECONDS: 1 } })
  receiver.behave(() => {})
  const first = await sendToChannel(ben, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()
  const { db, transaction } = chat.app.services
  const count = async () => (await db.selectFrom('webhookCalls').selectAll().execute()).length
  await transaction(async (tx) => {
    const one = await tx.db.selectFrom('messages').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
    const messages = Array.from({ length: 998 }, (_, at) => ({ ...one, id: first + 1 + at }))
    if (db.dialect === 'postgres') await advanceCounter(tx, 'message', messages.length)
    const call = { botId: hook.id, trigger: 'mention', attempts: 0, dueAt: tx.now }
    for (const message of messages) {
      await tx.insertInto('messages').values(message).execute()
      await tx
        .insertInto('webhookCalls')
        .values({ ...call, messageId: message.id })
        .execute()
    }
  })

  const before = await count()
  await sendToChannel(ben, design, '@**Hook** one more')
  const full = await count()
  await sendToChannel(ben, design, '@**Hook** too many')

  assert.deepEqual([before, full, await count()], [999, 1000, 1000])
})

test('each bot is called with one message at a time, in order, independently of other bots', async () => {
  const { chat, ben, design, receiver } = await start()
  const slow = await startWebhookReceiver()
  const { promise: release, resolve: letGo } = Promise.withResolvers<void>()
  slow.behave(async (response) => {
    await release
    response.end('{}')
  })
  await createWebhookBot(ben, slow.url, { name: 'Slow' })

  for (const at of [1, 2, 3]) await sendToChannel(ben, design, `@**Slow** @**Hook** ${at}`)
  while (receiver.received.length < 3 || slow.received.length < 1) await new Promise((wait) => setTimeout(wait, 10))
  const whileSlow = slow.received.length
  letGo()
  await chat.app.jobs.webhooks.settled()

  assert.equal(whileSlow, 1)
  for (const { payloads } of [receiver, slow])
    assert.deepEqual(
      payloads().map(({ data }) => data.at(-1)),
      ['1', '2', '3'],
    )
})

test('calls contain the new token after the bot gets a new API key', async () => {
  const { chat, ben, design, receiver, hook } = await start()

  await sendToChannel(ben, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()
  await ben.succeed(`POST /bots/${hook.id}/api_key/regenerate`)
  await sendToChannel(ben, design, '@**Hook**')
  await chat.app.jobs.webhooks.settled()

  const { bots } = await ben.succeed('GET /bots')
  assert.deepEqual(
    receiver.payloads().map(({ token }) => token),
    [hook.token, bots[0].services[0].token],
  )
})

test('a guest bot gets no data of users whom it cannot see', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.change({ can_access_all_users_group: 'role:members' })
  await ada.succeed(`PATCH /bots/${hook.id}`, { role: Role.guest })
  const dana = await chat.user('dana')
  const robots = await chat.channel('robots', [ben, cleo])
  await addToChannel(ben, robots, [{ id: hook.id } as Person])

  await sendToChannel(cleo, design, '@**Hook** where it is not')
  await sendToChannel(cleo, robots, '@**Hook** where it is')
  await sendToChannel(dana, robots, '@**Hook** from outside')
  await chat.app.jobs.webhooks.settled()

  assert.deepEqual(
    receiver.payloads().map(({ data, message }) => [data, message.sender_full_name]),
    [
      ['@**Hook** where it is', 'Cleo'],
      ['@**Hook** from outside', 'Unknown user'],
    ],
  )
})

test('a scheduled message calls the webhook when it is sent', async () => {
  const { chat, ben, design, receiver } = await start()
  const scheduled_delivery_timestamp = chat.clock.now() + 60
  const form = { type: 'channel', to: design.id, topic: 'tea', content: '@**Hook**', scheduled_delivery_timestamp }
  await ben.succeed('POST /scheduled_messages', form)
  await chat.app.jobs.scheduledMessages.settled()

  const early = await come(chat, receiver)
  await chat.clock.advance(60)
  await chat.app.jobs.scheduledMessages.settled()

  assert.equal(early, 0)
  assert.equal(await come(chat, receiver), 1)
})

test('a user who leaves the channel while the receiver works does not see the response', async () => {
  const { chat, ben, cleo, design, receiver, hook } = await start({ isPrivate: true })
  await addToChannel(ben, design, [{ id: hook.id } as Person])
  receiver.behave(async (response) => {
    await leaveChannel(cleo, design)
    response.end('{"content": "secret"}')
  })

  await sendToChannel(ben, design, '@**Hook**')

  assert.deepEqual(await messagesFrom(chat, hook, ben), ['secret'])
  assert.deepEqual(await messagesFrom(chat, hook, cleo), [])
})
