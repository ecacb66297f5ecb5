type Policy = { createHTML(text: string): unknown; createScriptURL(address: string): unknown }
type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createHTML(text: string): string; createScriptURL(address: string): string },
  ): Policy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/**
 * The Trusted Types policy. It allows HTML that is a single character reference, and only the script of the service
 * worker.
 */
const policy = trustedTypes?.createPolicy('parley', {
  createHTML(text) {
    if (/^&#?\w+;$/.test(text)) return text
    throw new TypeError('Not a character reference')
  },
  createScriptURL(address) {
    if (address === SERVICE_WORKER) return address
    throw new TypeError('Not the service worker')
  },
})

const SERVICE_WORKER = '/service-worker.js'

/** Returns a character reference as trusted HTML. */
export const trustedReference = (text: string) => (policy?.createHTML(text) ?? text) as string

/** Returns the URL of the service worker as a trusted script URL. */
export const trustedServiceWorker = () => (policy?.createScriptURL(SERVICE_WORKER) ?? SERVICE_WORKER) as string
