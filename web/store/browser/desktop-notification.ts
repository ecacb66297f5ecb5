import type { PushContent } from '#notifications/push-content.ts'
import { registerWorker, workerRegistration } from './service-worker.ts'

/**
 * Shows a desktop notification. It replaces an earlier notification about the same message. Without a service worker, a
 * click on the notification calls `open` with the path.
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

/**
 * Calls `open` with the path of a notification of the service worker when the user clicks it. Returns a function that
 * stops this.
 */
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

/** Closes all notifications if the page has the focus, since the user no longer needs them. */
async function clearNotifications(): Promise<void> {
  if (!document.hasFocus()) return
  const notices = await (await workerRegistration())?.getNotifications()
  for (const notice of notices ?? []) notice.close()
}
