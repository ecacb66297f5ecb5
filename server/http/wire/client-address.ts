import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { listOf, type Settings } from '#config.ts'
import { parseNetwork } from '#lib/public-address.ts'

/** Returns the address of the client of a request, by its headers and the address of the connection. */
export type AddressOf = (headers: IncomingHttpHeaders, peer: string) => string

/** Returns a function that returns whether an address is in one of the networks of the setting. */
export function trustedProxies(setting: string): (address: string) => boolean {
  const networks = listOf(setting).flatMap((text) => parseNetwork(text) ?? [])
  return (address) => networks.some((network) => network.has(address))
}

/**
 * Returns a function that finds the address of the client. Only proxies that the operator trusts can name another
 * address than that of the connection. `Forwarded` never counts: a proxy that writes one of the two headers passes the
 * other one on as the client wrote it.
 */
export function openClientAddress({
  TRUST_X_REAL_IP,
  TRUSTED_PROXIES,
}: Pick<Settings, 'TRUST_X_REAL_IP' | 'TRUSTED_PROXIES'>): AddressOf {
  const isProxy = trustedProxies(TRUSTED_PROXIES)
  const hasList = TRUSTED_PROXIES !== ''
  if (TRUST_X_REAL_IP)
    return (headers, peer) => {
      const named = hasList && !isProxy(peer) ? undefined : headers['x-real-ip']
      return typeof named === 'string' ? named : peer
    }
  if (!hasList) return (_headers, peer) => peer
  return ({ 'x-forwarded-for': forwarded }, peer) =>
    forwarded !== undefined && isProxy(peer) ? lastUntrusted(String(forwarded), peer, isProxy) : peer
}

/**
 * Returns the last address that is not that of a trusted proxy: each proxy appends the address from which it was called,
 * so everything before that one may be invented. Returns the first address if all are trusted.
 */
function lastUntrusted(forwarded: string, peer: string, isProxy: (address: string) => boolean): string {
  let known = peer
  for (const entry of forwarded.split(',').reverse()) {
    const address = withoutPort(entry.trim())
    if (isIP(address) === 0) return known
    known = address
    if (!isProxy(address)) return address
  }
  return known
}

/** Some proxies append the port of the client: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string) => entry.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
