import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '#config.ts'
import { MAX_DELIVERIES } from '#messages/webhook-calls.ts'
import { BotType, Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../../test/messages.ts'
import {
  advanceAndSettle,
  allowsLoopback,
  createWebhookBot,
  messagesFrom,
  type ReceiverBehavior,
  startWebhookReceiver,
  status,
} from '../../test/webhook-receiver.ts'

/** Starts an organization in which Ben owns the bot Hook, and Cleo asks it questions in #design. */
async function start(settings: Partial<Settings> = {}) {
  const chat = await startChat({ settings: { ...allowsLoopback, ...settings } })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben, cleo])
  const receiver = await startWebhookReceiver()
  const hook = await createWebhookBot(ben, receiver.url)
  const route = `/bots/${hook.id}/outgoing_deliveries`
  const log = async (person = ben, params = {}) => {
    await chat.app.jobs.webhooks.settled()
    return person.succeed(`GET ${route}`, params)
  }
  const sendAgain = (id: number, person = ben) => person.call(`POST ${route}/${id}/send_again`)
  return { chat, ben, cleo, design, receiver, hook, route, log, sendAgain }
}

const rows = async (chat: Chat) => chat.app.services.db.selectFrom('outgoingDeliveries').selectAll().execute()

test('the log names the outcome of each delivery, the newest first', async () => {
  const { chat, ben, cleo, design, receiver, hook, log } = await start()
  receiver.behave({ content: 'yes' })
  const asked = await sendToChannel(cleo, design, '@**Hook** one')
  await chat.app.jobs.webhooks.settled()
  receiver.behave({})
  const direct = await sendDirect(ben, [{ id: hook.id } as Person], 'two')
  await chat.app.jobs.webhooks.settled()
  receiver.behave(status(503, `the token is ${hook.token}`))
  await sendToChannel(cleo, design, '@**Hook** three')

  const { deliveries, has_more } = await log()

  const facts = deliveries.map(({ id: _, message_id: __, ...facts }: Record<string, unknown>) => facts)
  const done = { time: chat.clock.now(), attempts: 1, next_attempt_at: null, can_send_again: true }
  const failed = { outcome: 'failed', status: 503, text: "The bot's server responded with status 503." }
  assert.deepEqual(facts, [
    { ...done, trigger: 'mention', ...failed },
    { ...done, trigger: 'direct_message', outcome: 'accepted', status: 200, text: '' },
    { ...done, trigger: 'mention', outcome: 'answered', status: 200, text: '' },
  ])
  assert.deepEqual([deliveries[2].message_id, deliveries[1].message_id, has_more], [asked, direct, false])
  assert.ok(!JSON.stringify(await rows(chat)).includes(hook.token))
})

test('a delivery that waits shows its attempts, the error and the time of the next one', async () => {
  const { chat, cleo, design, receiver, log, sendAgain } = await start()
  receiver.behave((response) => response.destroy())
  await sendToChannel(cleo, design, '@**Hook**')
  await advanceAndSettle(chat, 1)

  const { deliveries } = await log()
  const again = await sendAgain(deliveries[0].id)

  assert.partialDeepStrictEqual(deliveries, [
    {
      outcome: 'waiting',
      status: null,
      attempts: 2,
      next_attempt_at: chat.clock.now() + 5,
      text: "The bot's server could not be reached (ECONNRESET).",
      can_send_again: false,
    },
  ])
  assert.deepEqual(again, refusalResponse('This message already waits to be delivered, or too many others do.'))
  await advanceAndSettle(chat, 5)
  await advanceAndSettle(chat, 20)
  assert.partialDeepStrictEqual((await log()).deliveries, [{ outcome: 'failed', attempts: 4, next_attempt_at: null }])
})

/** Redirects to the same address forever. */
const endless: ReceiverBehavior = (response, { path }) => response.writeHead(307, { location: path }).end()

for (const [what, behavior, attempts, text] of [
  ['hangs', () => {}, 4, 'Request timed out after 1 seconds.'],
  ['answers endlessly', status(200, 'x'.repeat(300_000)), 1, 'The response of the webhook was too large to be read.'],
  ['redirects in a loop', endless, 4, "The bot's server could not be reached (The server redirects"],
  [
    'redirects to a private address',
    status(307, '', { location: 'http://10.1.2.3/' }),
    1,
    'The URL configured for the webhook is for a private or disallowed network.',
  ],
] as const) {
  test(`a receiver that ${what} costs a bounded time, and the log says so`, async () => {
    const OUTGOING_WEBHOOK_TIMEOUT_SECONDS = what === 'hangs' ? 1 : 60
    const { chat, cleo, design, receiver, log } = await start({ OUTGOING_WEBHOOK_TIMEOUT_SECONDS })
    receiver.behave(behavior)
    await sendToChannel(cleo, design, '@**Hook**')

    for (const delay of [1, 5, 20]) await advanceAndSettle(chat, delay)

    const [delivery] = (await log()).deliveries
    assert.deepEqual([delivery.outcome, delivery.attempts, delivery.status], ['failed', attempts, null])
    assert.ok(delivery.text.startsWith(text), delivery.text)
  })
}

test('a message is sent again as a further delivery, and the bot responds once more', async () => {
  const { chat, cleo, design, receiver, hook, log, sendAgain } = await start()
  receiver.behave(status(500))
  const id = await sendToChannel(cleo, design, '@**Hook** tea?')
  const [first] = (await log()).deliveries
  receiver.behave({ content: 'yes' })

  const { delivery } = await sendAgain(first.id)
  const { deliveries } = await log()

  assert.partialDeepStrictEqual(delivery, { message_id: id, trigger: 'mention', outcome: 'waiting', attempts: 0 })
  assert.deepEqual(
    deliveries.map(({ id, outcome }: { id: number; outcome: string }) => [id, outcome]),
    [
      [delivery.id, 'answered'],
      [first.id, 'failed'],
    ],
  )
  assert.deepEqual(
    receiver.payloads().map(({ data }) => data),
    ['@**Hook** tea?', '@**Hook** tea?'],
  )
  assert.deepEqual((await messagesFrom(chat, hook, cleo)).at(-1), 'yes')
})

test('only the owner of the bot and administrators read the log, and to others the bot is missing', async () => {
  const { chat, ben, cleo, design, receiver, route, log, sendAgain } = await start()
  const ada = await chat.user('ada', { role: Role.administrator })
  const generic = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const missing = refusalResponse('No such bot')
  await sendToChannel(cleo, design, '@**Hook**')
  const [{ id }] = (await log()).deliveries
  const robo = (await createWebhookBot(cleo, receiver.url, { name: 'Other' })).id

  const byCleo = [await cleo.call(`GET ${route}`), await sendAgain(id, cleo)]
  const absent = [
    await cleo.call('GET /bots/999/outgoing_deliveries'),
    await cleo.call(`GET /bots/${cleo.id}/outgoing_deliveries`),
  ]
  const ofAnotherBot = await cleo.call(`POST /bots/${robo}/outgoing_deliveries/${id}/send_again`)

  assert.deepEqual(byCleo, [missing, missing])
  assert.deepEqual(absent, [missing, missing])
  assert.deepEqual(ofAnotherBot, refusalResponse('No such delivery'))
  assert.equal((await log(ada)).deliveries.length, 1)
  assert.deepEqual((await ben.succeed(`GET /bots/${generic.id}/outgoing_deliveries`)).deliveries, [])
  assert.equal((await sendAgain(id, ada)).result, 'success')
})

test('the log does not name messages that its reader may not read', async () => {
  const { chat, ben, cleo, hook, log } = await start()
  const ada = await chat.user('ada', { role: Role.administrator })
  const secret = await chat.channel('secret', [cleo], { isPrivate: true })
  await addToChannel(cleo, secret, [{ id: hook.id } as Person])
  const direct = await sendDirect(ben, [{ id: hook.id } as Person], 'psst')
  const hidden = await sendToChannel(cleo, secret, '@**Hook**')

  const ids = async (person: Person) =>
    (await log(person)).deliveries.map(({ message_id }: { message_id: number | null }) => message_id)

  assert.deepEqual(await ids(ben), [null, direct])
  assert.deepEqual(await ids(ada), [null, null])
  assert.ok(hidden > direct)
})

test('a bot that lost access gets nothing again, and the log says why', async () => {
  const { chat, ben, cleo, receiver, hook, log, sendAgain } = await start()
  const secret = await chat.channel('secret', [ben, cleo], { isPrivate: true })
  await addToChannel(ben, secret, [{ id: hook.id } as Person])
  await sendToChannel(cleo, secret, '@**Hook**')
  const [first] = (await log()).deliveries
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'], principals: [hook.id] })

  await sendAgain(first.id)

  assert.partialDeepStrictEqual((await log()).deliveries[0], {
    outcome: 'left_out',
    text: 'The bot may no longer read the message.',
    status: null,
  })
  assert.equal(receiver.received.length, 1)
})

test('a deactivated bot gets nothing again, and a deleted message leaves the log', async () => {
  const { chat, ben, cleo, design, hook, log, sendAgain } = await start()
  await chat.change({ can_delete_own_message_group: 'role:everyone' })
  const gone = await sendToChannel(cleo, design, '@**Hook** one')
  await sendToChannel(cleo, design, '@**Hook** two')
  await chat.app.jobs.webhooks.settled()

  await cleo.succeed(`DELETE /messages/${gone}`)
  const { deliveries } = await log()
  await ben.succeed(`DELETE /bots/${hook.id}`)

  assert.equal(deliveries.length, 1)
  assert.equal((await log()).deliveries[0].can_send_again, false)
  assert.deepEqual(await sendAgain(deliveries[0].id), refusalResponse('User is deactivated'))
})

test('a call whose process stopped during each of eight attempts is given up without another one', async () => {
  const { chat, cleo, design, receiver, log } = await start()
  receiver.behave((response) => response.destroy())
  for (const attempts of [7, 8]) {
    await sendToChannel(cleo, design, '@**Hook**')
    await chat.app.jobs.webhooks.settled()
    await chat.app.services.transaction((tx) =>
      tx.updateTable('webhookCalls').set({ attempts, dueAt: tx.now }).execute(),
    )
    await advanceAndSettle(chat, 1)
  }

  const { deliveries } = await log()

  assert.deepEqual(
    deliveries.map(({ outcome }: { outcome: string }) => outcome),
    ['left_out', 'failed'],
  )
  assert.equal(deliveries[0].text, 'The server stopped during each attempt.')
  assert.equal(receiver.received.length, 3)
})

test('a call is repeated 15 seconds after its time limit if its process stops', async () => {
  const { chat, cleo, design, receiver, log } = await start({ OUTGOING_WEBHOOK_TIMEOUT_SECONDS: 60 })
  const dueTimes: number[] = []
  receiver.behave(async (response) => {
    const calls = await chat.app.services.db.selectFrom('webhookCalls').select('dueAt').execute()
    dueTimes.push(...calls.map(({ dueAt }) => dueAt))
    response.end('{}')
  })

  await sendToChannel(cleo, design, '@**Hook**')
  await log()

  assert.deepEqual(dueTimes, [chat.clock.now() + 75])
})

test('the log is read in pages', async () => {
  const { cleo, design, log } = await start()
  for (const at of [1, 2, 3]) await sendToChannel(cleo, design, `@**Hook** ${at}`)

  const first = await log(undefined, { num: 2 })
  const rest = await log(undefined, { num: 2, before: first.deliveries[1].id })

  assert.deepEqual([first.deliveries.length, first.has_more], [2, true])
  assert.deepEqual([rest.deliveries.length, rest.has_more], [1, false])
})

test('deliveries that ended are kept for seven days, and at most 500 of a bot', async () => {
  const { chat, ben, cleo, design, receiver, log } = await start()
  const other = await createWebhookBot(ben, receiver.url, { name: 'Other' })
  await sendToChannel(cleo, design, '@**Hook**')
  await log()
  await chat.app.services.transaction(async (tx) => {
    const [one] = await tx.db.selectFrom('outgoingDeliveries').selectAll().execute()
    const { id: _, ...row } = one ?? assert.fail()
    const many = Array.from({ length: MAX_DELIVERIES + 10 }, () => row)
    const ofOther = { ...row, botId: other.id }
    const waiting = { ...row, outcome: 'waiting', endedAt: null }
    await tx
      .insertInto('outgoingDeliveries')
      .values([waiting, ofOther, ...many, ofOther])
      .execute()
  })

  await sendToChannel(cleo, design, '@**Hook**')
  await log()
  const trimmed = (await rows(chat)).map(({ botId, endedAt }) =>
    botId === other.id ? 'other' : endedAt === null ? 'waiting' : 'ended',
  )
  await chat.clock.advance(7 * 86_400 - 1)
  const before = (await log()).deliveries.length
  await chat.clock.advance(1)
  const after = (await log()).deliveries.length
  await chat.clock.advance(3600)
  await chat.app.jobs.retention.settled()

  assert.deepEqual(trimmed.toSorted(), [
    ...Array<string>(MAX_DELIVERIES).fill('ended'),
    ...['other', 'other', 'waiting'],
  ])
  assert.equal(before, 20)
  assert.equal(after, 0)
  assert.deepEqual(
    (await rows(chat)).map(({ outcome }) => outcome),
    ['waiting'],
  )
})
