import { BlockList, isIP } from 'node:net'

// The network addresses that requests of users may reach. An address is public only if it is routed on the internet
// and does not contain a private IPv4 address. The operator can permit further hosts by name.

/** IPv4 networks outside the public internet: private, loopback, link-local, documentation and multicast networks. */
const NOT_PUBLIC = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/**
 * The public IPv6 addresses, and the exceptions among them. Some exceptions lead to IPv4 addresses that cannot be
 * checked.
 */
const PUBLIC_IPV6 = ['2000::', 3] as const
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

/** IPv6 networks whose addresses contain an IPv4 address: mapped addresses, and addresses behind a translator. */
const IPV4_WITHIN = [
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
] as const

const notPublic = new BlockList()
for (const [network, bits] of NOT_PUBLIC) notPublic.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of NOT_PUBLIC_IPV6) notPublic.addSubnet(network, bits, 'ipv6')
const publicIpv6 = new BlockList()
publicIpv6.addSubnet(...PUBLIC_IPV6, 'ipv6')
const ipv4Within = IPV4_WITHIN.map(([network, bits]) => {
  const list = new BlockList()
  list.addSubnet(network, bits, 'ipv6')
  return list
})

/** Returns whether the text is a public IP address. */
export function isPublicAddress(address: string): boolean {
  const plain = effectiveAddress(address)
  if (isIP(plain) === 4) return !notPublic.check(plain, 'ipv4')
  return isIP(plain) === 6 && publicIpv6.check(plain, 'ipv6') && !notPublic.check(plain, 'ipv6')
}

/**
 * Returns the IPv4 address that an IPv6 address contains. Returns other addresses as they are, and '' for an address
 * that names a network interface.
 */
function effectiveAddress(address: string): string {
  if (isIP(address) !== 6) return address
  if (address.includes('%')) return ''
  if (!ipv4Within.some((list) => list.check(address, 'ipv6'))) return address
  const [high = 0, low = 0] = lastGroups(address)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the last 32 bits as two groups of 16. */
function lastGroups(address: string): number[] {
  // The host of a URL has the shortest form, without an IPv4 address at its end.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':')
  return groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
}

/** A host name or a network that may be called although it is not public. */
type PrivateHost = { has(host: string, address: string): boolean }

/** Parses `*`, a host name, an IP address or a network (`10.1.0.0/16`); returns null for anything else. */
export function parsePrivateHost(text: string): PrivateHost | null {
  if (text === '*') return { has: () => true }
  const [address = ''] = text.split('/')
  if (isIP(address) === 0) return isHostName(text) ? { has: (host) => host === text.toLowerCase() } : null
  const network = parseNetwork(text)
  return network && { has: (_, one) => network.has(effectiveAddress(one)) || network.has(one) }
}

/** Returns whether the host of a URL is in the list, without resolving its name. */
export function isPermittedHost(host: string, privateHosts: readonly string[]): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  const address = isIP(name) === 0 ? '' : name
  return privateHosts.some((one) => parsePrivateHost(one)?.has(name, address))
}

/** A network of IP addresses, with the length of its prefix. It contains IPv4 addresses in their mapped form, too. */
export type Network = { has(address: string): boolean; bits: number }

/** Parses an IP address or a network (`10.1.0.0/16`); returns null for anything else. */
export function parseNetwork(text: string): Network | null {
  const [address = '', given, ...more] = text.split('/')
  const version = isIP(address)
  const most = version === 4 ? 32 : 128
  if (version === 0 || more.length > 0 || address.includes('%')) return null
  if (given !== undefined && !(/^\d{1,3}$/.test(given) && Number(given) <= most)) return null
  const bits = given === undefined ? most : Number(given)
  const network = new BlockList()
  network.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6')
  return {
    bits,
    has(one) {
      const form = isIP(one)
      return form !== 0 && network.check(one, form === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

const isHostName = (text: string) => text.length <= 253 && /^(?!-)[\w-]+(\.[\w-]+)*$/.test(text)

const LOOPBACK_HOST = /^(localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** Returns whether the host of a URL is this machine, so that no connection to it can be intercepted. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host)
