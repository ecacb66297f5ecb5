/** What the browser runs while no page is open: it shows what the server tells of, and leads there. */
import type { PushContent } from '../../../server/delivery/web-push/push-content.ts'

type Told = Event & { data: { json(): PushContent } | null; waitUntil(done: Promise<unknown>): void }
type Clicked = Event & { notification: Notification; waitUntil(done: Promise<unknown>): void }
type OpenWindow = { focused: boolean; focus(): Promise<unknown>; postMessage(message: unknown): void }

type Scope = {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<OpenWindow[]>
    openWindow(address: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'push' | 'notificationclick', listener: (event: never) => void): void
}

const scope = globalThis as unknown as Scope
const openWindows = () => scope.clients.matchAll({ type: 'window', includeUncontrolled: true })

/** Whoever looks at a page sees the message there; a page in the background shows the same notice, and one of them stays. */
async function show({ title, body, tag, icon, path }: PushContent): Promise<void> {
  if ((await openWindows()).some(({ focused }) => focused)) return
  await scope.registration.showNotification(title, { body, tag, data: { path }, ...(icon !== null && { icon }) })
}

async function lead(notice: Notification): Promise<void> {
  notice.close()
  const { path } = notice.data as Pick<PushContent, 'path'>
  const [window] = await openWindows()
  if (window === undefined) return void (await scope.clients.openWindow(path))
  window.postMessage({ path })
  await window.focus()
}

scope.addEventListener('install', () => void scope.skipWaiting())
scope.addEventListener('push', (event: Told) => {
  if (event.data !== null) event.waitUntil(show(event.data.json()))
})
scope.addEventListener('notificationclick', (event: Clicked) => event.waitUntil(lead(event.notification)))
