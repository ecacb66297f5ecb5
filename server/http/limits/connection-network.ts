import type { Settings } from '#config.ts'
import { networkOf } from './network.ts'

/** Addresses of this machine, used by tests, tools, and proxies. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i

/**
 * Returns a function that returns the network of an address, by which connections are limited. The function returns
 * null for addresses without a limit.
 */
export function connectionNetwork({
  MAX_CONNECTIONS_PER_ADDRESS: max,
  TRUST_X_REAL_IP: isBehindProxy,
}: Pick<Settings, 'MAX_CONNECTIONS_PER_ADDRESS' | 'TRUST_X_REAL_IP'>): (address: string) => string | null {
  // Behind a proxy, all connections come from the proxy.
  if (max === 0 || isBehindProxy) return () => null
  return (address) => (address === '' || LOOPBACK.test(address) ? null : networkOf(address))
}
