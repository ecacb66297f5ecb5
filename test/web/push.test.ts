import assert from 'node:assert/strict'
import type { CDPSession, Page, Worker } from 'playwright-core'
import type { PushContent } from '#notifications/push-content.ts'
import { sendDirect } from '../messages.ts'
import { allowsLoopback, startWebhookReceiver, status, type WebhookReceiver } from '../webhook-receiver.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** Replaces the push service and the permission, since the test browser has neither. */
async function replacePushService(page: Page, { url }: WebhookReceiver): Promise<void> {
  await page.addInitScript((endpoint) => {
    const subscription = {
      endpoint,
      toJSON: () => ({
        endpoint,
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      }),
      async unsubscribe() {
        localStorage.removeItem('signed up')
        return true
      },
    }
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Object.assign(PushManager.prototype, {
      getSubscription: async () => (localStorage.getItem('signed up') === null ? null : subscription),
      async subscribe() {
        localStorage.setItem('signed up', 'yes')
        return subscription
      },
    })
  }, url)
}

async function open() {
  const stage = await openStage({ settings: allowsLoopback })
  const cast = await fillExample(stage.chat)
  const page = await stage.openAs(cast.ben, '/login/', { hasWorker: true })
  const receiver = await startWebhookReceiver()
  receiver.behave(status(201))
  await replacePushService(page, receiver)
  await page.goto('/settings/notifications')
  const box = page.getByRole('checkbox', { name: 'Also notify me while Parley is closed' })
  const choose = () => page.getByText('Also notify me while Parley is closed').click()
  return { stage, page, receiver, box, choose, ...cast }
}

/** Wakes the service worker as the browser's own service does. */
async function deliver(page: Page, words: PushContent): Promise<void> {
  const session: CDPSession = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    }),
  )
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered,
    data: JSON.stringify(words),
  })
}

type Shown = [title: string, options: { body: string; tag: string; data: { path: string } }]
type OpenWindow = { postMessage(message: unknown): void }
type WorkerScope = {
  shown: Shown[]
  isLookedAt: boolean
  looks: number
  registration: object
  clients: { matchAll(options: object): Promise<OpenWindow[]> }
}

/** Has the service worker record notifications instead of showing them: a browser without a screen shows none. */
async function recordShown(page: Page): Promise<Worker> {
  const [worker = await page.context().waitForEvent('serviceworker')] = page.context().serviceWorkers()
  await worker.evaluate(() => {
    const scope = globalThis as unknown as WorkerScope
    Object.assign(scope, { shown: [], isLookedAt: false, looks: 0 })
    Object.assign(scope.registration, { showNotification: async (...notice: Shown) => void scope.shown.push(notice) })
    const find = scope.clients.matchAll.bind(scope.clients)
    const withFocus = (window: OpenWindow) => ({
      focused: scope.isLookedAt,
      focus: async () => {},
      postMessage: (message: unknown) => window.postMessage(message),
    })
    scope.clients.matchAll = async (options) => {
      const windows = (await find(options)).map(withFocus)
      scope.looks++
      return windows
    }
  })
  return worker
}

/** Returns how often the service worker has looked for open windows, which it does before it shows a message. */
const searchesOf = (worker: Worker) => worker.evaluate(() => (globalThis as unknown as WorkerScope).looks)

const shownBy = (worker: Worker) => worker.evaluate(() => (globalThis as unknown as WorkerScope).shown)

/** Clicks a notification that the service worker has shown. */
const click = (worker: Worker, path: string) =>
  worker.evaluate((given) => {
    const notification = { data: { path: given }, close() {} }
    const event = Object.assign(new Event('notificationclick'), { notification, waitUntil() {} })
    ;(globalThis as unknown as EventTarget).dispatchEvent(event)
  }, path)

test('a browser gets push notifications while Parley is closed, until they are turned off', async () => {
  const { stage, receiver, page, box, choose, ada, ben } = await open()
  await choose()
  await becomes(() => box.isChecked(), true)
  await becomes(() => box.isEnabled(), true)
  await page.reload()
  await becomes(() => box.isChecked(), true)
  await sendDirect(ada, [ben], 'are you there?')
  await stage.chat.clock.advance(10)
  await stage.chat.app.jobs.push.settled()
  const events = receiver.received.length
  await choose()
  await becomes(() => box.isChecked(), false)
  await becomes(() => box.isEnabled(), true)
  await sendDirect(ada, [ben], 'and now?')
  await stage.chat.clock.advance(10)
  await stage.chat.app.jobs.push.settled()

  assert.deepEqual([events, receiver.received.length], [1, 1])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a push notification is shown in the background, and opens its message in the open window', async () => {
  const { stage, page, box, choose } = await open()
  await choose()
  await becomes(() => box.isChecked(), true)
  await becomes(() => box.isEnabled(), true)
  const worker = await recordShown(page)
  const path = '/channels/1?topic=colours'

  await worker.evaluate(() => Object.assign(globalThis, { isLookedAt: true }))
  await deliver(page, { title: 'Ada', body: 'seen', tag: 'message 0', path, icon: null })
  await becomes(() => searchesOf(worker), 1)
  await worker.evaluate(() => Object.assign(globalThis, { isLookedAt: false }))
  await deliver(page, { title: 'Ada', body: 'hello', tag: 'message 1', path, icon: null })
  await becomes(() => shownBy(worker), [['Ada', { body: 'hello', tag: 'message 1', data: { path } }]])
  await click(worker, path)

  await page.waitForURL(`**${path}`)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('push notifications continue after logging in again, and stop for the next user of the browser', async () => {
  const { stage, page, receiver, box, choose, ada, ben, cleo } = await open()
  await choose()
  await becomes(() => box.isChecked(), true)
  await becomes(() => box.isEnabled(), true)
  const events = async () => {
    await sendDirect(ada, [ben])
    await stage.chat.clock.advance(10)
    await stage.chat.app.jobs.push.settled()
    return receiver.received.splice(0).length
  }

  await stage.signIn(page, ben)
  await page.reload()
  await becomes(() => box.isChecked(), true)
  const anew = await events()
  await stage.signIn(page, cleo)
  await page.reload()
  await becomes(() => box.isEnabled(), true)

  assert.equal(anew, 1)
  await becomes(() => box.isChecked(), false)
  await becomes(() => page.evaluate(() => localStorage.getItem('signed up')), null)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
