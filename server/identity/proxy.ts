import { isUtf8 } from 'node:buffer'
import type { PageCall } from '#http/pages.ts'
import type { ProxySettings } from '#lib/sign-in-file.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

// People whom the operator's reverse proxy has signed in. The proxy names them in a header, which counts only in
// connections from the addresses of the proxy: everyone else could send it as well.

/** The method of the proxy among those of an organization. No declared method can have this id. */
export const PROXY = { id: 'remote_user', issuer: 'proxy' } as const

/** Returns the proxy of the organization, even if its owners turned it off; null if there is none. */
export function findProxy({ settings }: Db, { subdomain }: Pick<Realm, 'subdomain'>): ProxySettings | null {
  const { proxy } = settings.SIGN_IN_FILE
  return proxy?.organizations?.includes(subdomain) === false ? null : proxy
}

/** A person as the proxy or a token of the operator names them. */
export type NamedPerson = { email: string; name: string; groups: string[] | null }

/** The reason why a request names nobody. `foreign`: the header is there, but another address has sent it. */
export type ProxyProblem = { problem: 'missing' | 'foreign' | 'invalid' }

/** Returns the person whom the proxy names in the request. */
export function readProxyPerson(
  proxy: ProxySettings,
  { headers, peerAddress }: Pick<PageCall, 'headers' | 'peerAddress'>,
): NamedPerson | ProxyProblem {
  const given = headers[proxy.header] ?? ''
  if (given === '') return { problem: 'missing' }
  if (!proxy.networks.some((network) => network.has(peerAddress))) return { problem: 'foreign' }
  const email = toAddress(proxy, decoded(given))
  if (email === null) return { problem: 'invalid' }
  const read = (name: string | null) => (name === null ? null : decoded(headers[name] ?? ''))
  const groups = read(proxy.groupsHeader)
  return {
    email,
    name: read(proxy.nameHeader) ?? '',
    groups: groups?.split(',').flatMap((group) => group.trim() || []) ?? null,
  }
}

/**
 * Returns the email address for a name; null if it is not a name. White space and commas are refused, because
 * two headers with the same name arrive in one, with a comma.
 */
function toAddress({ appendDomain }: ProxySettings, name: string): string | null {
  if (/[\s,;"\p{C}]/u.test(name) || (appendDomain !== null && name.includes('@'))) return null
  const email = appendDomain === null ? name : `${name}@${appendDomain}`
  return isEmailAddress(email) ? email : null
}

/** Returns the text of a header, whose bytes Node returns as Latin-1; '' if it is not UTF-8. */
function decoded(value: string | readonly string[]): string {
  const bytes = Buffer.from(String(value), 'latin1')
  return isUtf8(bytes) ? bytes.toString() : ''
}
