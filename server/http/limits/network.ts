import { isIPv6 } from 'node:net'

/** Returns the network of an address: for IPv6 the first 64 bits, since one caller may have all addresses in it. */
export function networkOf(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%')
  const mapped = MAPPED.exec(address)?.[1]
  return mapped ?? (isIPv6(address) ? prefixOf(address, 4) : remoteAddress)
}

/** Returns the first 48 bits of an IPv6 address, the usual size of a site; null for all other addresses. */
export function siteOf(remoteAddress: string): string | null {
  const [address = ''] = remoteAddress.split('%')
  return isIPv6(address) && !MAPPED.test(address) ? prefixOf(address, 3) : null
}

/** An IPv4 address in the form of an IPv6 address. */
const MAPPED = /^::ffff:([\d.]+)$/i

/** Returns the network with the first `count` groups of 16 bits of the address. */
function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const groups = groupsOf(head)
  const missing = tail === undefined ? 0 : 8 - groups.length - groupsOf(tail).length
  const network = [...groups, ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')].slice(0, count)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${16 * count}`
}

/** Returns the groups of 16 bits. An IPv4 address at the end counts as two. */
const groupsOf = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group))
