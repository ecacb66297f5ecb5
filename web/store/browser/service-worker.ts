import { trustedServiceWorker } from '../../ui/trusted.ts'

/** Returns the registration of the service worker, if there is one. */
export async function workerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  const registration = await navigator.serviceWorker.getRegistration('/')
  return registration?.active === null ? undefined : registration
}

/** Registers the service worker; resolves when it is active. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(trustedServiceWorker())
  return navigator.serviceWorker.ready
}
