import { trustedServiceWorker } from '../../ui/trusted.ts'

/** What runs while no page is open, where there is one. */
export async function workerRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator)) return undefined
  const registration = await navigator.serviceWorker.getRegistration('/')
  return registration?.active === null ? undefined : registration
}

/** Resolves when it runs. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(trustedServiceWorker())
  return navigator.serviceWorker.ready
}
