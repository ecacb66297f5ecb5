/**
 * The service worker. It shows push notifications while no page has the focus, opens the conversation of a clicked
 * notification, and serves the client while the server cannot be reached.
 */
import type { PushContent } from '#notifications/push-content.ts'
import { type CacheRequest, cacheFiles, serve } from './offline-cache.ts'

type PushEvent = Event & { data: { json(): PushContent } | null; waitUntil(done: Promise<unknown>): void }
type ClickEvent = Event & { notification: Notification; waitUntil(done: Promise<unknown>): void }
type LifecycleEvent = Event & {
  waitUntil(done: Promise<unknown>): void
  /** Adds rules by which the browser serves requests without waking the service worker. Only some browsers have it. */
  addRoutes?(rules: readonly object[]): Promise<void>
}
type CacheEvent = MessageEvent<CacheRequest> & { waitUntil(done: Promise<unknown>): void }
type OpenWindow = { focused: boolean; focus(): Promise<unknown>; postMessage(message: unknown): void }

type Scope = {
  registration: ServiceWorkerRegistration
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<OpenWindow[]>
    openWindow(address: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(
    type: 'install' | 'activate' | 'fetch' | 'message' | 'push' | 'notificationclick',
    listener: (event: never) => void,
  ): void
}

const scope = globalThis as unknown as Scope
const openWindows = () => scope.clients.matchAll({ type: 'window', includeUncontrolled: true })

/**
 * Shows a notification unless a page has the focus. A page in the background shows a notification with the same tag, so
 * that one replaces the other.
 */
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

/** Only requests for pages and their files wake the service worker. It passes these requests to `serve`. */
const ROUTES = [
  { condition: { requestMode: 'navigate' }, source: 'fetch-event' },
  { condition: { urlPattern: { pathname: '/assets/*' } }, source: 'fetch-event' },
  { condition: { urlPattern: {} }, source: 'network' },
]

async function activate(): Promise<void> {
  // The browser may request a page while the service worker is still starting.
  await scope.registration.navigationPreload?.enable()
  await scope.clients.claim()
}

scope.addEventListener('install', (event: LifecycleEvent) => {
  event.waitUntil(event.addRoutes?.(ROUTES).catch(() => {}) ?? Promise.resolve())
  void scope.skipWaiting()
})
scope.addEventListener('activate', (event: LifecycleEvent) => event.waitUntil(activate()))
scope.addEventListener('fetch', serve)
scope.addEventListener('message', (event: CacheEvent) => event.waitUntil(cacheFiles(event.data)))
scope.addEventListener('push', (event: PushEvent) => {
  if (event.data !== null) event.waitUntil(show(event.data.json()))
})
scope.addEventListener('notificationclick', (event: ClickEvent) => event.waitUntil(lead(event.notification)))
