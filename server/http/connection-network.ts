import type { Settings } from '../config.ts'
import { networkOf } from './limit-by-network.ts'

/** Addresses of this machine: tests, tools, and proxies that may be there. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i

/** By which network connections from an address are counted; null where they are not limited. */
export function connectionNetwork({
  MAX_CONNECTIONS_PER_ADDRESS: max,
  TRUST_X_REAL_IP: isBehindProxy,
}: Pick<Settings, 'MAX_CONNECTIONS_PER_ADDRESS' | 'TRUST_X_REAL_IP'>): (address: string) => string | null {
  // Behind a proxy all connections come from it, whoever they are for.
  if (max === 0 || isBehindProxy) return () => null
  return (address) => (address === '' || LOOPBACK.test(address) ? null : networkOf(address))
}
