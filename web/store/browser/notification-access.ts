import { createStore } from '../../ui/create-store.ts'

/**
 * Whether this browser lets the page show notices; 'unasked' until somebody has decided, 'insecure' where the address is
 * why it does not: pages may over HTTPS and from the same machine alone. 'none' where it shows none of any page.
 */
export type NotificationAccess = 'granted' | 'denied' | 'unasked' | 'insecure' | 'none'

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
