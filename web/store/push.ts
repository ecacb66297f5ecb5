import { call } from '../api/call.ts'
import { registerWorker, workerRegistration } from '../browser/service-worker.ts'
import { queryClient } from './query-client.ts'

/** Returns true if this browser supports push notifications. */
export const canPush = (): boolean =>
  globalThis.isSecureContext && 'PushManager' in globalThis && 'serviceWorker' in navigator

/**
 * The storage key for the id of the user who turned on push notifications. Another user may have logged in since then.
 */
const KEY = 'parley.push'

/** Queries whether push notifications are on. They are on if the browser and the server have the same subscription. */
export const pushState = {
  queryKey: ['push'],
  queryFn: async (): Promise<{ isOn: boolean }> => {
    const subscription = await currentSubscription()
    if (subscription === null) return { isOn: false }
    const { endpoint } = await call('GET /web_push/subscription')
    return { isOn: endpoint === subscription.endpoint }
  },
}

const currentSubscription = async () => (await (await workerRegistration())?.pushManager.getSubscription()) ?? null

/** Turns on push notifications in this browser. Requires permission for notifications. */
export async function subscribeToPush(userId: number): Promise<void> {
  const { public_key: key } = await call('GET /web_push/subscription')
  const { pushManager } = await registerWorker()
  // A subscription for another key or another user cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = subscription.toJSON()
  await call('PUT /web_push/subscription', { endpoint: endpoint!, p256dh: keys!['p256dh']!, auth: keys!['auth']! })
  localStorage.setItem(KEY, String(userId))
  await queryClient.invalidateQueries({ queryKey: pushState.queryKey })
}

export async function unsubscribeFromPush(): Promise<void> {
  localStorage.removeItem(KEY)
  const subscription = await currentSubscription()
  const { endpoint } = await call('GET /web_push/subscription')
  if (endpoint !== null) await call('DELETE /web_push/subscription')
  await subscription?.unsubscribe()
  await queryClient.invalidateQueries({ queryKey: pushState.queryKey })
}

/**
 * Renews the subscription when a page opens. Push notifications stay on when the same user logs in again. They are
 * turned off when another user logs in.
 */
export async function renewPushSubscription(userId: number): Promise<void> {
  if (!canPush() || Notification.permission !== 'granted') return
  const owner = localStorage.getItem(KEY)
  if (owner === null) return
  if (owner !== String(userId)) return void (await (await currentSubscription())?.unsubscribe())
  const { isOn } = await pushState.queryFn()
  if (!isOn) await subscribeToPush(userId)
}
