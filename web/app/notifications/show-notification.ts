import type { PushContent } from '../../../server/delivery/web-push/push-content.ts'
import { registerWorker, workerRegistration } from '../../store/browser/service-worker.ts'

/** Shows a notice on the screen, in place of one about the same message. `open` is called with its path when it is pressed. */
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
    // Browsers of phones refuse the constructor: there the service worker shows notices.
    await (await registerWorker()).showNotification(title, options)
  }
}

/** Has notices that the service worker showed lead to what they tell of; returns what ends that. */
export function onNotificationClick(open: (path: string) => void): () => void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  const follow = ({ data }: MessageEvent<Pick<PushContent, 'path'>>) => open(data.path)
  serviceWorker?.addEventListener('message', follow)
  serviceWorker?.startMessages()
  window.addEventListener('focus', clearNotices)
  void clearNotices()
  return () => {
    serviceWorker?.removeEventListener('message', follow)
    window.removeEventListener('focus', clearNotices)
  }
}

/** Whoever looks at a page needs to be told no more of what came before. */
async function clearNotices(): Promise<void> {
  if (!document.hasFocus()) return
  const notices = await (await workerRegistration())?.getNotifications()
  for (const notice of notices ?? []) notice.close()
}
