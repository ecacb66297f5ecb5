import { trustedServiceWorker } from '../ui/trusted.ts'

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

/**
 * Makes the service worker cache this page and its files, so that the page opens without a connection. Pages without
 * TLS have no service worker.
 */
export async function cacheForOffline(userId: number): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  const { active } = await registerWorker()
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const assets = [...new Set(loaded)].filter((url) => url.startsWith(`${location.origin}/assets/`))
  active?.postMessage({ userId, assets })
}
