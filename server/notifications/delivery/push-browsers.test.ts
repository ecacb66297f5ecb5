import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { signIn } from '../../../test/browser.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { startChat } from '../../../test/harness.ts'
import { sendDirect } from '../../../test/messages.ts'
import { openPushBrowser } from '../../../test/push-browser.ts'
import { allowsLoopback } from '../../../test/webhook-receiver.ts'

const route = '/web_push/subscription'

async function start() {
  const chat = await startChat({ settings: allowsLoopback })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bens = await openPushBrowser(chat, ben)
  return { chat, ada, ben, bens }
}

test('a browser gets the key of the server, which never changes, and its own subscription', async () => {
  const { bens } = await start()

  const before = await bens.browser.call(`GET ${route}`)
  await bens.subscribe()
  const after = await bens.browser.call(`GET ${route}`)
  const ended = await bens.browser.call(`DELETE ${route}`)

  assert.equal(Buffer.from(before['public_key'], 'base64url').length, 65)
  assert.deepEqual([before['endpoint'], after['endpoint']], [null, bens.keys.endpoint])
  assert.equal(after['public_key'], before['public_key'])
  assert.equal(ended.status, 200)
  assert.equal((await bens.browser.call(`GET ${route}`))['endpoint'], null)
  assert.deepEqual(await bens.browser.call(`DELETE ${route}`), refusalResponse('This browser has no push subscription'))
})

test('every browser of a user is notified once, with the keys that it sent last', async () => {
  const { chat, ada, ben, bens } = await start()
  const second = await openPushBrowser(chat, ben)
  for (const one of [bens, second, bens]) await one.subscribe()
  const moved = { ...bens.keys, endpoint: `${bens.receiver.url}/moved` }
  await bens.browser.call(`PUT ${route}`, moved)

  await sendDirect(ada, [ben])

  assert.deepEqual([(await bens.notifications()).length, (await second.notifications()).length], [1, 1])
  assert.deepEqual(
    bens.receiver.received.map(({ path }) => path),
    ['/hook/moved'],
  )
})

test('a browser whose session lacks a required second factor shows no notifications', async () => {
  const { chat, ada, ben, bens } = await start()
  await bens.subscribe()
  const required = { second_factor_required_for: 'everyone', second_factor_grace_days: 0 } as const
  await chat.app.services.transaction((tx) => changeRealmSettings(tx, chat.realm, required))

  await sendDirect(ada, [ben])
  await chat.app.jobs.push.settled()

  assert.equal(bens.receiver.received.length, 0)
})

test('when another user logs in and subscribes a browser, it shows no more notifications for the previous user', async () => {
  const { chat, ada, ben, bens } = await start()
  await bens.subscribe()
  bens.receiver.behave((response) => response.writeHead(503).end())
  await sendDirect(ada, [ben], 'waits')
  await chat.app.jobs.push.settled()
  bens.receiver.received.splice(0)
  bens.receiver.behave((response) => response.writeHead(201).end())

  await (await signIn(chat, ada)).call(`PUT ${route}`, bens.keys)
  await sendDirect(ada, [ben], 'not here')
  await chat.clock.advance(60)
  await sendDirect(ben, [ada], 'here')

  assert.deepEqual(
    (await bens.notifications()).map(({ body }) => body),
    ['here'],
  )
})

test('a browser shows no notifications after its user logs out or the session expires', async () => {
  const { chat, ada, ben, bens } = await start()
  const second = await openPushBrowser(chat, ben)
  for (const one of [bens, second]) await one.subscribe()

  await bens.browser.open('/')
  await bens.browser.submit()
  await sendDirect(ada, [ben])
  await second.notifications()
  await chat.clock.advance(86_401)
  await sendDirect(ada, [ben])
  await chat.app.jobs.push.settled()

  assert.equal((await bens.browser.call(`GET ${route}`)).status, 401)
  assert.deepEqual([bens.receiver.received.length, second.receiver.received.length], [0, 1])
})

test('a subscription needs a session, a valid address and valid keys', async () => {
  const { ben, bens } = await start()
  const noSession = refusalResponse('Log in with the browser that should show notifications')

  assert.deepEqual(await ben.call(`PUT ${route}`, bens.keys), noSession)
  assert.deepEqual(await ben.call(`DELETE ${route}`), noSession)
  assert.equal((await ben.succeed(`GET ${route}`)).endpoint, null)
  for (const wrong of [
    { endpoint: 'javascript:alert(1)' },
    { endpoint: 'nowhere' },
    { endpoint: `https://example.org/${'x'.repeat(2000)}` },
    { p256dh: 'AAAA' },
    { p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { auth: '' },
    { auth: Buffer.alloc(17).toString('base64url') },
  ]) {
    const answer = await bens.browser.call(`PUT ${route}`, { ...bens.keys, ...wrong })
    assert.deepEqual(answer, refusalResponse("This browser can't receive notifications"), JSON.stringify(wrong))
  }
  assert.equal((await bens.browser.call(`GET ${route}`))['endpoint'], null)
})
