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

/** It may be given and taken in the browser's own settings at any time. */
void globalThis.navigator?.permissions
  ?.query({ name: 'notifications' })
  .then((status) => status.addEventListener('change', () => permission.set(read())))
  .catch(() => {})

export const notificationAccess = permission.get

export const useNotificationAccess = permission.use

/** Has the browser ask. To be called where something was pressed. */
export async function requestNotificationAccess(): Promise<void> {
  await Notification.requestPermission()
  permission.set(read())
}
