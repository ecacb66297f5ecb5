import { createStore } from '../../ui/create-store.ts'

/**
 * The browser's permission for desktop notifications: 'unasked' before the user has decided, 'insecure' if the page was
 * loaded without HTTPS from another machine, and 'none' if the browser has no notifications.
 */
type NotificationAccess = 'granted' | 'denied' | 'unasked' | 'insecure' | 'none'

function read(): NotificationAccess {
  if (!globalThis.isSecureContext) return 'insecure'
  if (!('Notification' in globalThis)) return 'none'
  return Notification.permission === 'default' ? 'unasked' : Notification.permission
}

const permission = createStore(read())

/** The user can change the permission in the browser's settings at any time. */
void globalThis.navigator?.permissions
  ?.query({ name: 'notifications' })
  .then((status) => status.addEventListener('change', () => permission.set(read())))
  .catch(() => {})

export const notificationAccess = permission.get

export const useNotificationAccess = permission.use

/** Asks the user for permission. Must be called from a user gesture. */
export async function requestNotificationAccess(): Promise<void> {
  await Notification.requestPermission()
  permission.set(read())
}
