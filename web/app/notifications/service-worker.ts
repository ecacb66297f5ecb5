/** The service worker, which shows push notifications while no page is open, and opens their conversations. */
import type { PushContent } from '../../../server/delivery/web-push/push-content.ts'

type PushEvent = Event & { data: { json(): PushContent } | null; waitUntil(done: Promise<unknown>): void }
type ClickEvent = Event & { notification: Notification; waitUntil(done: Promise<unknown>): void }
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

/** A visible page shows the message itself. A page in the background shows the same notification, which replaces this one. */
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
scope.addEventListener('push', (event: PushEvent) => {
  if (event.data !== null) event.waitUntil(show(event.data.json()))
})
scope.addEventListener('notificationclick', (event: ClickEvent) => event.waitUntil(lead(event.notification)))
