import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { REALM_PICTURES } from '#storage/files.ts'
import { limitedText, type RealmSettings } from './realm-settings.ts'

// An organization: its fields, name, address and pictures. Each organization has a host of its own, derived from its
// subdomain, and a request belongs to the organization that its Host header names. The realm of the system bots has
// no users.

/** An organization. */
export type Realm = {
  id: number
  /** Empty for the root organization. */
  subdomain: string
  name: string
  createdAt: number
  deactivatedAt: number | null
  settings: RealmSettings
  pictures: RealmPictures
  /** The time at which a demo organization is deactivated; null for all other organizations. */
  demoEndsAt: number | null
}

/** Returns whether people without an account may read the web-public channels of the organization. */
export const allowsSpectators = ({ settings, deactivatedAt }: Pick<Realm, 'settings' | 'deactivatedAt'>): boolean =>
  settings.enable_spectator_access && deactivatedAt === null

export const realmPictureKinds = ['icon', 'logo', 'night_logo'] as const

export type RealmPictureKind = (typeof realmPictureKinds)[number]

/** The file names of the uploaded pictures. A name is never reused for another picture. */
export type RealmPictures = { readonly [Kind in RealmPictureKind]?: string }

/** The characters that break a line, are invisible, or change the direction of the text around them. */
export const NOT_IN_REALM_NAMES = /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/u

/** Characters that join others are allowed, because emoji and some scripts need them, but not alone. */
export const REALM_NAME = new RegExp(`^(?=.*[\\p{L}\\p{N}\\p{P}\\p{S}])(?!.*${NOT_IN_REALM_NAMES.source})`, 'su')

/** The name of an organization. It is a single line of at most 40 code points, because it appears in email subjects. */
export const realmName = limitedText(MAX_LENGTH.realmName)
  .trim()
  .min(1)
  .regex(REALM_NAME, 'Organization names cannot contain line breaks or invisible characters')

/** The host and URL of an organization. */
type RealmAddress = {
  /** The host name without a port, as used in placeholder addresses. */
  hostName: string
  /** The URL without a trailing slash. */
  url: string
}

/** The icon of organizations that have not uploaded one. */
export const REALM_ICON = '/static/organization-icon.png'

/** Returns the path of the uploaded picture, or of the built-in one if none was uploaded. */
export function realmPictureUrl({ id, pictures }: Pick<Realm, 'id' | 'pictures'>, kind: RealmPictureKind): string {
  const name = pictures[kind]
  return name === undefined ? REALM_ICON : `/user_avatars/${id}/realm/${name}`
}

const BUILT_IN_SOURCES = { icon: 'G', logo: 'D', night_logo: 'D' } as const

/** Returns the letter that tells clients whether the picture was uploaded or is built in. */
export function realmPictureSource<Kind extends RealmPictureKind>(
  { pictures }: Pick<Realm, 'pictures'>,
  kind: Kind,
): 'U' | (typeof BUILT_IN_SOURCES)[Kind] {
  return pictures[kind] === undefined ? BUILT_IN_SOURCES[kind] : 'U'
}

/** A larger `REALM_ICON`, for the home screens of phones. */
export const APP_ICON = '/static/app-icon.png'

/** The width and height of the app icon, in pixels. */
export const APP_ICON_SIZE = 512

/** The subdomain of the system bots' realm. No users of this realm log in. */
export const SYSTEM_SUBDOMAIN = 'parley-system'

const SUBDOMAIN_PATTERN = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

/**
 * Returns whether an organization can have this subdomain. A subdomain consists of 1 to 40 letters, digits and inner
 * hyphens, or is empty. Reserved names are excluded.
 */
export function isSubdomain(subdomain: string): boolean {
  return (
    subdomain === '' || (SUBDOMAIN_PATTERN.test(subdomain) && subdomain !== SYSTEM_SUBDOMAIN && subdomain !== 'www')
  )
}

/** The length of the shortest subdomain that visitors can choose. */
export const MIN_CHOSEN_SUBDOMAIN = 3

/**
 * Names that visitors could mistake for a part of the server or of its operator, or that certificate authorities, mail
 * servers and browsers look for. The plural with “s” is reserved, too. Operators can use all of them.
 */
const RESERVED_SUBDOMAINS: ReadonlySet<string> = new Set(
  `about abuse access account accounting activate ad admin administration administrator agent alert analytics api app asset
  atom auth authentication autoconfig autodiscover avatar backup banner beta billing blog board bot broadcast bug business
  calendar cdn certificate chat client cloud code compliance config console contact copyright customer dashboard data
  database db debug default demo deploy design dev developer dns doc domain download email enterprise error event
  everyone example export faq feed feedback file finance forum ftp gateway git global graph group guest guide help
  helpdesk home host hosting hostmaster hr http image imap img import inbox index info integration internal invite invoice
  ipv4 ipv6 irc isatap it job knowledge ldap learn legal license link list live local localdomain localhost log login
  logout mail mailer mailer-daemon marketing master me media member message metric mobile monitor mx my name network new
  news newsletter noc noreply no-reply notification ns oauth oembed office official operator order owner page parley
  partner password payment photo ping platform pop pop3 portal postmaster press preview pricing privacy private prod
  production profile project proxy public push realm register registration relay remote report repo review robot root rss
  sale sample sandbox scim search secure security sentry server service session setting setup shop sign-in sign-up signin
  signup site sitemap smtp sql ssh ssl ssladmin ssladministrator sslwebmaster sso staff stage staging stat static status
  storage store stream subscribe support sysadmin system team teammate term terms test testing tls token tool tour translate
  trial trust tutorial unsubscribe update upload user usenet uucp verify video vpn web webhook webmail webmaster websocket
  widget wiki wpad ws www zulip`.split(/\s+/),
)

/** Returns whether the subdomain is a name that visitors cannot choose. Operators can. */
export const isReservedSubdomain = (subdomain: string): boolean =>
  RESERVED_SUBDOMAINS.has(subdomain) || (subdomain.endsWith('s') && RESERVED_SUBDOMAINS.has(subdomain.slice(0, -1)))

/** Returns the address of an organization. Its host is the host of `externalUrl` with the subdomain in front. */
export function realmAddress(subdomain: string, externalUrl: string): RealmAddress {
  const url = new URL(externalUrl)
  if (subdomain !== '') url.hostname = `${subdomain}.${url.hostname}`
  return { hostName: url.hostname, url: url.origin }
}

/**
 * Returns the subdomain for a Host header. It is empty for the root organization. Users also reach the root
 * organization at every IP address, and at every host that is neither listed nor a subdomain of the external host.
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

/** The last result is cached, because every request parses the same URL. */
function hostNameOf(url: string): string {
  if (lastHost.url !== url) lastHost = { url, hostName: new URL(url).hostname }
  return lastHost.hostName
}

/** Returns the path of a picture in the file store. */
export const realmPicturePath = (realmId: number, name: string) => `${REALM_PICTURES}/${realmId}/${name}`

/** Returns the path of the larger version of an icon, which exists only if images are resized. */
export const largeIconPath = (realmId: number, name: string) =>
  realmPicturePath(realmId, name.replace(/\.png$/, '-medium.png'))

/** Returns the paths of all stored pictures of an organization. */
export const realmPictureFiles = ({ id, pictures }: Pick<Realm, 'id' | 'pictures'>): string[] =>
  Object.values(pictures).flatMap((name) => [realmPicturePath(id, name), largeIconPath(id, name)])
