import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectLog } from '../../../test/collected-log.ts'
import { type StartOptions, startChat } from '../../../test/harness.ts'
import { sendDirect } from '../../../test/messages.ts'
import { openPushBrowser } from '../../../test/push-browser.ts'
import { allowsLoopback, status } from '../../../test/webhook-receiver.ts'

async function start(options: StartOptions = {}) {
  const chat = await startChat({ ...options, settings: { ...allowsLoopback, ...options.settings } })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bens = await openPushBrowser(chat, ben)
  await bens.subscribe()
  const bodies = async () => (await bens.notifications()).map(({ body }) => body)
  const waiting = () => chat.app.services.db.selectFrom('pushNotices').selectAll().execute()
  return { chat, ada, ben, bens, bodies, waiting }
}

for (const [failure, answer] of [
  ['is overloaded', status(503)],
  ['wants less at once', status(429)],
  ['breaks off', (response: { destroy(): void }) => response.destroy()],
] as const) {
  test(`a notification is sent again when the push service ${failure}, and later ones wait`, async () => {
    const { chat, ada, ben, bens, bodies, waiting } = await start()
    bens.receiver.behave(answer)
    await sendDirect(ada, [ben], 'one')
    await sendDirect(ada, [ben], 'two')
    const first = await bodies()
    bens.receiver.behave(status(201))

    await chat.clock.advance(5)

    assert.deepEqual(first, ['one'])
    assert.deepEqual(await bodies(), ['one', 'one', 'two'])
    assert.deepEqual(await waiting(), [])
  })
}

for (const [asked, granted] of [
  ['60', 60],
  ['86400', 3600],
] as const) {
  test(`a push service that asks for ${asked} seconds of delay gets ${granted}`, async () => {
    const { chat, ada, ben, bens, bodies } = await start()
    bens.receiver.behave(status(429, '', { 'retry-after': asked }))
    await sendDirect(ada, [ben], 'one')
    await bodies()
    bens.receiver.behave(status(201))

    await chat.clock.advance(granted - 1)
    const before = await bodies()
    await chat.clock.advance(1)

    assert.deepEqual(before, ['one'])
    assert.deepEqual(await bodies(), ['one', 'one'])
  })
}

test('a notification that fails for minutes is dropped, with all others for the same browser', async () => {
  const { log, entries } = collectLog()
  const { chat, ada, ben, bens, bodies, waiting } = await start({ log })
  bens.receiver.behave(status(500, 'no tea'))
  for (const content of ['one', 'two', 'three']) await sendDirect(ada, [ben], content)
  await bodies()

  for (const seconds of [5, 30, 120, 600]) await chat.clock.advance(seconds)
  const tried = await bodies()
  bens.receiver.behave(status(201))
  await sendDirect(ada, [ben], 'four')

  assert.deepEqual(tried, ['one', 'one', 'one', 'one'])
  assert.equal((await bodies()).at(-1), 'four')
  assert.deepEqual(await waiting(), [])
  const warned = entries.filter(({ message }) => message === 'A push notification failed')
  assert.deepEqual([warned.length, warned[0]?.['status'], warned[0]?.['answer']], [4, 500, 'no tea'])
  assert.ok(!JSON.stringify(entries).includes(bens.keys.endpoint), 'who knows the address may send there')
})

test('a notification that the push service refuses is not sent again', async () => {
  const { chat, ada, ben, bens, bodies } = await start()
  bens.receiver.behave(status(403))
  await sendDirect(ada, [ben], 'one')

  await chat.clock.advance(600)

  assert.deepEqual(await bodies(), ['one'])
})

for (const code of [404, 410]) {
  test(`a subscription is removed when its push service answers ${code}`, async () => {
    const { ada, ben, bens, bodies, waiting } = await start()
    bens.receiver.behave(status(code))
    for (const content of ['one', 'two']) await sendDirect(ada, [ben], content)

    assert.deepEqual(await bodies(), ['one'])
    assert.equal((await bens.browser.call('GET /web_push/subscription'))['endpoint'], null)
    assert.deepEqual(await waiting(), [])
  })
}

test('a browser with unusable keys does not hold up others', async () => {
  const { log, errors } = collectLog()
  const { chat, ada, ben, bens, bodies, waiting } = await start({ log })
  const adas = await openPushBrowser(chat, ada)
  await adas.subscribe()
  await chat.app.services.transaction(async (tx) => {
    await tx.updateTable('pushSubscriptions').set({ p256dh: 'AAAA' }).where('userId', '=', ada.id).execute()
  })
  await sendDirect(ben, [ada], 'unreadable')
  await adas.notifications()

  await sendDirect(ada, [ben], 'one')
  const atOnce = await bodies()
  for (const seconds of [5, 30, 120]) await chat.clock.advance(seconds)

  assert.deepEqual([atOnce, adas.receiver.received.length, bens.receiver.received.length], [['one'], 0, 1])
  assert.deepEqual(await waiting(), [])
  assert.equal(errors.length, 4)
})

test('a browser that subscribes again while its old address is found to be gone stays subscribed', async () => {
  const { chat, ada, ben, bens, bodies } = await start()
  const moved = { ...bens.keys, endpoint: `${bens.receiver.url}/moved` }
  bens.receiver.behave((response, { path }) => {
    if (path === '/hook/moved') response.writeHead(201).end()
    else void bens.browser.call('PUT /web_push/subscription', moved).then(() => response.writeHead(410).end())
  })
  await sendDirect(ada, [ben], 'one')
  await chat.app.jobs.push.settled()

  await sendDirect(ada, [ben], 'two')

  assert.equal((await bens.browser.call('GET /web_push/subscription'))['endpoint'], moved.endpoint)
  assert.equal((await bodies()).at(-1), 'two')
})

test('an address inside the network of the server is not called', async () => {
  const { chat, ada, ben, bens } = await start({ settings: { OUTGOING_WEBHOOK_PRIVATE_HOSTS: [] } })

  await sendDirect(ada, [ben])

  await chat.app.jobs.push.settled()
  assert.equal(bens.receiver.received.length, 0)
})
