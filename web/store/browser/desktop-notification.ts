import type { PushContent } from '../../../server/delivery/web-push/push-content.ts'
import { registerWorker, workerRegistration } from './service-worker.ts'

/**
 * Shows a desktop notification, which replaces an earlier one about the same message. A click calls `open` with its
 * path.
 */
export async function showNotification(text: PushContent, open: (path: string) => void): Promise<void> {
  const { title, path, body, tag, icon } = text
  const options = { body, tag, data: { path }, ...(icon !== null && { icon }) }
  const registration = await workerRegistration()
  if (registration !== undefined) return registration.showNotification(title, options)
  try {
    const notice = new Notification(title, options)
    notice.onclick = () => {
      notice.close()
      open(path)
    }
  } catch {
    // Mobile browsers don't support the constructor; there the service worker shows notifications.
    await (await registerWorker()).showNotification(title, options)
  }
}

/** Opens the conversation when a notification of the service worker is clicked. Returns a function that stops this. */
export function onNotificationClick(open: (path: string) => void): () => void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  const follow = ({ data }: MessageEvent<Pick<PushContent, 'path'>>) => open(data.path)
  serviceWorker?.addEventListener('message', follow)
  serviceWorker?.startMessages()
  window.addEventListener('focus', clearNotifications)
  void clearNotifications()
  return () => {
    serviceWorker?.removeEventListener('message', follow)
    window.removeEventListener('focus', clearNotifications)
  }
}

/** Closes the notifications, which are obsolete once the user looks at a page. */
async function clearNotifications(): Promise<void> {
  if (!document.hasFocus()) return
  const notices = await (await workerRegistration())?.getNotifications()
  for (const notice of notices ?? []) notice.close()
}
