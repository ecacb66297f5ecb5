import { call } from '../../api/call.ts'
import { queryClient } from '../query-client.ts'
import { registerWorker, workerRegistration } from './service-worker.ts'

/** Whether this browser can tell of messages while no page is open. */
export const canPush = (): boolean =>
  globalThis.isSecureContext && 'PushManager' in globalThis && 'serviceWorker' in navigator

/** Says for whom this browser is to tell of messages: somebody else may sign in with it. */
const KEY = 'parley.push'

/** What this browser is told of, as the server knows it too. */
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

/** Has this browser tell somebody of messages while no page is open. To be called when notices are allowed. */
export async function subscribeToPush(userId: number): Promise<void> {
  const { public_key: key } = await call('GET /web_push/subscription')
  const { pushManager } = await registerWorker()
  // What was made for another key, or for somebody else, takes nothing from here.
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
 * To be called as a page opens: what somebody wanted in this browser goes on after they have signed in anew, and ends when
 * somebody else has.
 */
export async function renewPushSubscription(userId: number): Promise<void> {
  if (!canPush() || Notification.permission !== 'granted') return
  const owner = localStorage.getItem(KEY)
  if (owner === null) return
  if (owner !== String(userId)) return void (await (await currentSubscription())?.unsubscribe())
  const { isOn } = await pushState.queryFn()
  if (!isOn) await subscribeToPush(userId)
}
