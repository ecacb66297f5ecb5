import { limitedText, type RealmSettings } from './settings.ts'

/** An organization. */
export type Realm = {
  id: number
  /** Empty for the root organization. */
  subdomain: string
  name: string
  createdAt: number
  deactivatedAt: number | null
  settings: RealmSettings
}

/** What an organization can be called, of at most 40 code points: a line of text, as it stands in the subjects of mail. */
export const realmName = limitedText(40)
  .trim()
  .min(1)
  .regex(/^\P{Cc}*$/u, 'Organization names cannot contain line breaks or other control characters')

/** Where an organization is reached. */
export type RealmAddress = {
  /** The host name without a port, as placeholder addresses end in it. */
  hostName: string
  /** Without a slash at the end. */
  url: string
}

/** The picture of organizations. */
export const REALM_ICON = '/static/organization-icon.png'

/** The same, as large as what is put on the home screen of a phone. */
export const APP_ICON = '/static/app-icon.png'

/** The realm that system bots live in; nobody signs in to it. */
export const SYSTEM_SUBDOMAIN = 'parley-system'

const SUBDOMAIN_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

/** Whether a subdomain can be given to an organization: 1 to 40 letters, digits and inner hyphens, or none at all. */
export function isSubdomain(subdomain: string): boolean {
  return (
    subdomain === '' || (SUBDOMAIN_PATTERN.test(subdomain) && subdomain !== SYSTEM_SUBDOMAIN && subdomain !== 'www')
  )
}

/** The address of an organization, its subdomain set before the host of `externalUrl`. */
export function realmAddress(subdomain: string, externalUrl: string): RealmAddress {
  const url = new URL(externalUrl)
  if (subdomain !== '') url.hostname = `${subdomain}.${url.hostname}`
  return { hostName: url.hostname, url: url.origin }
}

/**
 * The subdomain that a Host header means, empty for the root organization: a host that is an IP address, or not under
 * the external one, means the root too.
 */
export function subdomainOf(host: string, externalUrl: string, otherHosts: Readonly<Record<string, string>>): string {
  const hostName = host.toLowerCase().replace(/:\d*$/, '')
  const mapped = Object.hasOwn(otherHosts, hostName) ? otherHosts[hostName] : undefined
  if (mapped !== undefined) return mapped
  const suffix = `.${hostNameOf(externalUrl)}`
  if (!hostName.endsWith(suffix)) return ''
  const subdomain = hostName.slice(0, -suffix.length)
  return subdomain === 'www' ? '' : subdomain
}

let lastHost = { url: '', hostName: '' }

/** Asked at each request for the same URL, so the last answer is kept. */
function hostNameOf(url: string): string {
  if (lastHost.url !== url) lastHost = { url, hostName: new URL(url).hostname }
  return lastHost.hostName
}
