import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { OperatorError } from '#lib/errors.ts'
import { parsePrivateHost } from '#lib/public-address.ts'
import { noSignInFile, readSignInFile } from '#lib/sign-in-file.ts'

// The settings of the installation, which the operator gives as environment variables. One declaration lists each
// with its form, default and description. An invalid setting keeps the server from starting, and all of them are
// reported at once.

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
const whole = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)
const json = <Type extends z.ZodType>(type: Type) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(type)

const privateHost = z
  .string()
  .refine(
    (text) => parsePrivateHost(text) !== null,
    'must be host names, IP addresses, or networks such as 10.1.0.0/16',
  )

/** Settings that are of use only together. */
const PAIRS = [
  ['BIG_BLUE_BUTTON_URL', 'BIG_BLUE_BUTTON_SECRET'],
  ['VIDEO_ZOOM_CLIENT_ID', 'VIDEO_ZOOM_CLIENT_SECRET'],
  ['MAIL_IN_TLS_CERT', 'MAIL_IN_TLS_KEY'],
] as const

/** Settings that contain secrets. Instead of each, `NAME_FILE` may name a file, as vaults and service managers provide it. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'SMTP_URL',
  'BIG_BLUE_BUTTON_SECRET',
  'VIDEO_ZOOM_CLIENT_SECRET',
  'GIPHY_API_KEY',
  'TENOR_API_KEY',
])

const withoutFinalSlashes = (url: string) => url.replace(/\/+$/, '')

const rateLimitRules = z.array(z.tuple([z.number().positive(), z.int().positive()])).min(1)

/** All settings: the parser of the environment variable, the default, and the description. */
export const settingDeclarations = {
  PORT: { read: whole, fallback: 9991, about: 'TCP port to listen on; 0 selects a free one.' },
  LISTEN_HOST: {
    read: z.string(),
    fallback: 'localhost',
    about: 'Address or host name to listen on; `0.0.0.0` for all.',
  },
  EXTERNAL_URL: {
    read: z.url().transform(withoutFinalSlashes),
    fallback: '',
    about:
      'Address of the root organization; organizations with a subdomain use subdomains of its host. Unset: http://localhost:PORT.',
  },
  REALM_HOSTS: {
    read: json(z.record(z.string(), z.string())),
    fallback: {} as Record<string, string>,
    about: 'Other host names of organizations, as JSON: `{"chat.example.com": "subdomain"}`.',
  },
  DATABASE_URL: {
    read: z.string().min(1),
    fallback: '',
    about:
      'A path (SQLite), `memory`, or `postgres://user:password@host/database`. Unset: the file `parley.db` in DATA_DIR.',
  },
  DATABASE_CONNECTIONS: {
    read: whole.refine((count) => count >= 3, 'must be at least 3'),
    fallback: 10,
    about: 'Maximum number of connections to PostgreSQL that run statements. Each node needs one more.',
  },
  SEVERAL_NODES: {
    read: flag,
    fallback: false,
    about:
      'Lets several processes serve the PostgreSQL database together. All of them need this setting, with the same DATA_DIR on every machine.',
  },
  DATA_DIR: { read: z.string().min(1), fallback: './data', about: 'Folder for all files of Parley.' },
  BACKUP_DIR: {
    read: z.string(),
    fallback: '',
    about: 'Folder in which the server creates a backup each day. Unset: no backups.',
  },
  BACKUPS_KEPT: {
    read: whole.refine((count) => count >= 1, 'must be at least 1'),
    fallback: 7,
    about: 'Number of backups to keep in BACKUP_DIR.',
  },
  SECRET_KEY: {
    read: z.string().min(32, 'needs at least 32 characters'),
    fallback: '',
    about:
      'Secret from which invitation links are derived; all processes that use the same database need the same secret. Unset: the file `secret` in DATA_DIR.',
  },
  SMTP_URL: {
    read: z.string(),
    fallback: '',
    about:
      'Relay for outgoing email: `smtp://user:password@host:587` or `smtps://…`. Unset: emails are kept for `parley mail show`.',
  },
  MAIL_FROM: {
    read: z.string(),
    fallback: '',
    about: 'Sender address of all emails. Unset: `noreply` at the host of EXTERNAL_URL.',
  },
  MAIL_IN_PORT: {
    read: whole,
    fallback: 0,
    about: 'TCP port on which the server receives email for channels and replies to its emails; 0 for none.',
  },
  MAIL_IN_LISTEN_HOST: {
    read: z.string(),
    fallback: 'localhost',
    about: 'Address or host name to receive email on; `0.0.0.0` for all.',
  },
  MAIL_IN_DOMAIN: {
    read: z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i, 'must be a domain name'),
    fallback: '',
    about:
      'Domain of the email addresses of channels and for replies. Unset: the host of EXTERNAL_URL with MAIL_IN_PORT; otherwise, there are no such addresses.',
  },
  MAIL_IN_TLS_CERT: {
    read: z.string(),
    fallback: '',
    about: 'File with the certificate chain for incoming email, in PEM format. Unset: no STARTTLS.',
  },
  MAIL_IN_TLS_KEY: { read: z.string(), fallback: '', about: 'File with the key of MAIL_IN_TLS_CERT, in PEM format.' },
  LOG_LEVEL: {
    read: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    fallback: 'warn' as const,
    about: '`debug`, `info` (a line for each request), `warn`, `error` or `silent`.',
  },
  TRUST_X_REAL_IP: {
    read: flag,
    fallback: false,
    about: 'Uses X-Real-IP from a reverse proxy as the client address.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    read: whole,
    fallback: 100,
    about:
      'Maximum number of open connections of one address, or IPv6 network of 64 bits; 0 for no limit. Connections from this machine are not limited, nor are any connections with TRUST_X_REAL_IP.',
  },
  HSTS_SUBDOMAINS: {
    read: flag,
    fallback: false,
    about:
      'With an https address, makes browsers use https for all subdomains of the host as well. For hosts whose subdomains all have certificates.',
  },
  HTTP_FAST_PATH: {
    read: flag,
    fallback: true,
    about:
      'Reads plain requests without the HTTP parser of Node.js, which saves memory and CPU time. Everything works without it.',
  },
  RATE_LIMITING: {
    read: flag,
    fallback: true,
    about:
      'Limits the requests and the work of users, and the bodies of networks. Without it, wrong passwords, sign-ups, emails to entered addresses and attempts to join are still limited, and so is the memory for bodies and uploads.',
  },
  RATE_LIMITING_RULES: {
    read: json(rateLimitRules),
    fallback: [[60, 200]] as [number, number][],
    about: 'Limits for one user, as JSON: `[[seconds, requests], …]`.',
  },
  RATE_LIMITING_WORK: {
    read: whole.refine((units) => units >= 1, 'must be at least 1'),
    fallback: 1500,
    about:
      'Units of work per minute for a user and their bots. Up to a third can be used in a burst. A request costs 1; many messages, searches and long responses cost more.',
  },
  ALLOW_WEAK_PASSWORDS: {
    read: flag,
    fallback: false,
    about: 'Allows short and common passwords. For test servers.',
  },
  SIGN_IN_FILE: {
    read: z.string().transform((path, context) => {
      try {
        return readSignInFile(path, process.env)
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'cannot be read' })
        return z.NEVER
      }
    }),
    fallback: noSignInFile,
    about:
      'JSON file with the providers and [directories](sign-in.md#ldap-and-active-directory) with which people can sign in; [docs/sign-in.md](sign-in.md#providers) describes it. Unset: only passwords, and the providers that owners add.',
  },
  OPEN_REALM_CREATION: {
    read: flag,
    fallback: false,
    about:
      'Lets everyone [create organizations](#let-everyone-create-organizations) at `/new/`. Also limits the daily invitations of each organization. Needs an EXTERNAL_URL with a host name.',
  },
  DEMO_ORGANIZATIONS: {
    read: flag,
    fallback: false,
    about:
      'Lets everyone create [demo organizations](#demo-organizations) at `/new/demo/`, without an address. They end after 30 days. Needs an EXTERNAL_URL with a host name.',
  },
  PROOF_OF_WORK: {
    read: whole.refine((bits) => bits <= 24, 'must be at most 24'),
    fallback: 0,
    about:
      'Difficulty of a puzzle that browsers solve before they send the forms for new organizations, sign-ups, password resets and lists of organizations: 0 for none; each step doubles the time. With 18, about a second on a computer, and some on a phone. The forms need scripts then. Without `RATE_LIMITING`, a solution can be used again for an hour.',
  },
  ADMINS_MAY_CHANGE_EMAIL: {
    read: flag,
    fallback: false,
    about:
      "Lets administrators request changes to other people's email addresses, as organization owners can. The new address confirms the change, and the old one can undo it.",
  },
  INVITATION_LINK_VALIDITY_MINUTES: {
    read: whole,
    fallback: 14400,
    about: 'Default lifetime of invitations, in minutes.',
  },
  INVITES_NEW_REALM_DAYS: {
    read: whole,
    fallback: 7,
    about: 'Days for which an organization counts as new for invitation limits.',
  },
  INVITES_NEW_REALM_DAILY_MAX: {
    read: whole,
    fallback: 100,
    about: 'Invitations per day of all new organizations together. Organizations with a higher limit are not counted.',
  },
  INVITES_MEMBER_DAILY_MAX: {
    read: whole,
    fallback: 100,
    about: 'Email invitations that a user may send per day (UTC); 0 for no limit.',
  },
  INVITES_ADMINISTRATOR_DAILY_MAX: {
    read: whole,
    fallback: 1000,
    about: 'Email invitations that an administrator or owner may send per day (UTC); 0 for no limit.',
  },
  INVITES_ADDRESS_PAUSE_MINUTES: {
    read: whole,
    fallback: 10,
    about: 'Minutes between two invitation emails of an organization to the same address; 0 for no limit.',
  },
  OUTGOING_WEBHOOK_TIMEOUT_SECONDS: {
    read: whole.refine((seconds) => seconds >= 1 && seconds <= 60, 'must be from 1 to 60'),
    fallback: 10,
    about: 'Time limit for the response to an outgoing webhook, in seconds: 1 to 60.',
  },
  OUTGOING_WEBHOOK_PRIVATE_HOSTS: {
    read: json(z.array(privateHost)),
    fallback: [] as string[],
    about:
      'Hosts, addresses and networks that outgoing webhooks may call although they are not public, as JSON: `["bots.internal", "10.1.0.0/16"]`; `["*"]` for all.',
  },
  IMAGE_RESIZING: {
    read: flag,
    fallback: true,
    about: 'Resizes and previews images, if the optional package `sharp` is installed.',
  },
  LINK_PREVIEWS: {
    read: flag,
    fallback: true,
    about:
      'Lets organizations show previews of websites, which the server fetches when a message links to them. `false` if it must not fetch any.',
  },
  EXTERNAL_CONTENT: {
    read: flag,
    fallback: true,
    about:
      'Shows linked pictures and short videos of other sites. The server fetches them and passes them on. `false` if it must not fetch any: they are links then.',
  },
  EXTERNAL_CONTENT_CACHE_MIB: {
    read: whole.refine((size) => size >= 16, 'must be at least 16'),
    fallback: 512,
    about: 'Size of the cache of pictures of other sites, in DATA_DIR.',
  },
  JITSI_SERVER_URL: {
    read: z
      .literal('none')
      .transform(() => '')
      .or(z.url({ protocol: /^https$/, error: 'must be an https address, or none' }).transform(withoutFinalSlashes)),
    fallback: 'https://meet.jit.si',
    about:
      'Jitsi server for calls in organizations that have not chosen their own. Only browsers connect to it. `none` turns calls off in these organizations.',
  },
  BIG_BLUE_BUTTON_URL: {
    read: z
      .url({ protocol: /^https?$/, error: 'must be an http or https address' })
      .transform((url) => withoutFinalSlashes(url).replace(/\/api$/, '')),
    fallback: '',
    about:
      'BigBlueButton server for calls, as `bbb-conf --secret` shows it, such as `https://bbb.example.com/bigbluebutton/`. Needs BIG_BLUE_BUTTON_SECRET. The server may be on a private network.',
  },
  BIG_BLUE_BUTTON_SECRET: {
    read: z.string(),
    fallback: '',
    about: 'Shared secret of that server.',
  },
  VIDEO_ZOOM_CLIENT_ID: {
    read: z.string(),
    fallback: '',
    about:
      'Client ID of an OAuth app at Zoom, with which users start meetings. Its redirect URL is EXTERNAL_URL with the path `/calls/zoom/complete`. Needs VIDEO_ZOOM_CLIENT_SECRET.',
  },
  VIDEO_ZOOM_CLIENT_SECRET: { read: z.string(), fallback: '', about: 'Client secret of that app.' },
  PUSH_SERVICE_URL: {
    read: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).transform(withoutFinalSlashes),
    fallback: '',
    about:
      'Push service for the mobile apps, such as `https://push.zulipchat.com`. Register the server there with `parley push register`. Unset: the apps get no notifications.',
  },
  PUSH_SERVICE_HIDES_CONTENT: {
    read: flag,
    fallback: false,
    about:
      'Whether notifications for the mobile apps say “New message” instead of the text, which the push service could read.',
  },
  GIPHY_API_KEY: {
    read: z.string(),
    fallback: '',
    about:
      'API key for GIPHY, with which users search GIFs. Only the server uses it. Needs EXTERNAL_CONTENT. Unset: no GIFs.',
  },
  TENOR_API_KEY: {
    read: z.string(),
    fallback: '',
    about: 'API key for Tenor, which is used if there is none for GIPHY.',
  },
  MAX_FILE_UPLOAD_SIZE_MIB: { read: whole, fallback: 25, about: 'Maximum size of an uploaded file.' },
  UPLOAD_QUOTA_MIB: {
    read: whole,
    fallback: 5120,
    about: 'Maximum total size of the uploaded files of an organization; 0 for no limit.',
  },
  UPLOADS_PER_DAY_MIB: {
    read: whole,
    fallback: 1024,
    about:
      'Maximum total size that a user and their bots may upload in 24 hours; deleted files do not count; 0 for no limit. Administrators have no limit.',
  },
  NEW_CHANNELS_PER_DAY: {
    read: whole,
    fallback: 1000,
    about:
      'Maximum number of channels that a user and their bots may create in 24 hours; 0 for no limit. Administrators have no limit.',
  },
  CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: {
    read: flag,
    fallback: false,
    about: 'Shows guests who cannot see all users only the presence of visible users.',
  },
} as const satisfies Record<string, { read: z.ZodType<unknown, string>; fallback: unknown; about: string }>

type Declarations = typeof settingDeclarations

type Widened<Value> = Value extends boolean ? boolean : Value

/** The settings of the installation. A running test server may change them; all other code only reads them. */
export type Settings = { -readonly [Name in keyof Declarations]: Widened<z.output<Declarations[Name]['read']>> }

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings from the environment; throws one `OperatorError` that lists every invalid setting. */
export function readSettings(environment: Environment = process.env): Settings {
  const complaints: string[] = []
  const settings = Object.entries(settingDeclarations).map(([name, { read, fallback }]) => {
    const text = readGiven(environment, name, complaints)
    if (text === undefined || text === '') return [name, structuredClone(fallback)]
    const parsed = read.safeParse(text)
    if (!parsed.success) complaints.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join(', ')}`)
    return [name, parsed.data]
  })
  const isGiven = (name: string) => Boolean(environment[name] || (SECRETS.has(name) && environment[`${name}_FILE`]))
  for (const [one, other] of PAIRS)
    if (isGiven(one) !== isGiven(other)) complaints.push(`${one}, ${other}: need each other`)
  const given = Object.fromEntries(settings) as Settings
  for (const name of ['OPEN_REALM_CREATION', 'DEMO_ORGANIZATIONS'] as const)
    if (given[name] === true && isAtAddress(String(given.EXTERNAL_URL)))
      complaints.push(`${name}: needs an EXTERNAL_URL with a host name, because organizations get subdomains`)
  if (complaints.length > 0) throw new OperatorError(`Invalid settings:\n  ${complaints.join('\n  ')}`)
  return completeSettings(given)
}

/** Returns whether the host of the URL is an IP address, which has no subdomains. */
const isAtAddress = (url: string) => URL.canParse(url) && isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0

/** Returns the text of a setting, from the environment or from the file that `NAME_FILE` names. */
function readGiven(environment: Environment, name: string, complaints: string[]): string | undefined {
  const file = SECRETS.has(name) ? environment[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return environment[name]
  if (environment[name]) complaints.push(`${name}, ${name}_FILE: only one of them can be set`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    complaints.push(`${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}

/** Fills in settings that are derived from others. */
export function completeSettings(settings: Settings): Settings {
  const externalUrl = settings.EXTERNAL_URL || `http://localhost:${settings.PORT}`
  const mailFrom = settings.MAIL_FROM || `noreply@${new URL(externalUrl).hostname}`
  const mailInDomain = settings.MAIL_IN_DOMAIN || (settings.MAIL_IN_PORT > 0 ? new URL(externalUrl).hostname : '')
  const databaseUrl = settings.DATABASE_URL || join(settings.DATA_DIR, 'parley.db')
  return {
    ...settings,
    DATABASE_URL: databaseUrl,
    EXTERNAL_URL: externalUrl,
    MAIL_FROM: mailFrom,
    MAIL_IN_DOMAIN: mailInDomain,
  }
}
