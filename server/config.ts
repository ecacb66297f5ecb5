import { createHmac, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { z } from 'zod'
import { readEnvironmentFile } from '#lib/environment-file.ts'
import { OperatorError } from '#lib/errors.ts'
import { isLoopbackHost, parseNetwork, parsePrivateHost } from '#lib/public-address.ts'
import { findS3UrlProblem, isS3Url } from '#lib/s3-url.ts'
import { noSignInFile, readSignInFile } from '#lib/sign-in-file.ts'

// The settings of the installation, which the operator gives as environment variables, or in a file of such variables.
// One declaration lists each with its form, default and description. An invalid setting keeps the server from starting,
// and all of them are reported at once. Settings that have no effect, and misspelled ones, are only warned about. No
// message contains a secret.

const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true')
const whole = z.string().regex(/^\d+$/, 'must be a whole number').transform(Number)
const port = whole.refine((number) => number <= 65_535, 'must be at most 65535')
const listenHost = z.string().refine((text) => !text.includes('/') && (!text.includes(':') || isIP(text) !== 0), {
  error: 'must be an address or a host name, without a scheme and a port',
})
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

const retention = z
  .string()
  .regex(/^\s*\d+[hdwmy](\s*,\s*\d+[hdwmy])*\s*$/, 'must be numbers with h, d, w, m or y, such as 7d,4w,12m')
  .transform((text) =>
    text.split(',').map((part) => {
      const [, count, kind] = /(\d+)([hdwmy])/.exec(part) ?? []
      return [Number(count), kind as 'h' | 'd' | 'w' | 'm' | 'y'] as const
    }),
  )

/** Public keys as age-keygen prints them, and others that need no plugin. */
const ageRecipients = z.string().transform((text, context) => {
  const recipients = text.split(/[\s,]+/).filter((recipient) => recipient !== '')
  for (const recipient of recipients)
    if (!/^age1[02-9ac-hj-np-z]{58,}$/.test(recipient))
      context.addIssue({
        code: 'custom',
        message: /^age-secret-key/i.test(recipient)
          ? 'must be public keys; age-keygen -y prints the one of a secret key'
          : `must be public keys that begin with age1, which ${JSON.stringify(recipient)} is not`,
      })
  return recipients
})

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
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['HTTPS_CERT', 'HTTPS_KEY'],
] as const

/** Settings that contain secrets. Instead of each, `NAME_FILE` may name a file, as vaults and service managers provide it. */
const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'SECRET_KEY',
  'FILES_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'METRICS_TOKEN',
  'SMTP_URL',
  'BACKUP_PASSPHRASE',
  // An operator may enter a secret key by mistake.
  'BACKUP_AGE_RECIPIENTS',
  'BIG_BLUE_BUTTON_SECRET',
  'VIDEO_ZOOM_CLIENT_SECRET',
  'GIPHY_API_KEY',
  'TENOR_API_KEY',
])

const withoutFinalSlashes = (url: string) => url.replace(/\/+$/, '')

/** Returns what is wrong with an EXTERNAL_URL, or null. */
function findUrlProblem(text: string): string | null {
  if (!/^https?:\/\//i.test(text)) return 'must begin with https:// or http://'
  if (!URL.canParse(text)) return 'must be an address such as https://chat.example.com'
  const { origin, username, password } = new URL(text)
  if (username !== '' || password !== '') return 'must have no user name and no password'
  return new URL(text).href === `${origin}/` ? null : 'must have no path, because organizations have hosts of their own'
}

/** The form of SMTP_URL. */
export const RELAY_URL_FORM =
  'must be like smtp://user:password@host:587 or smtps://user:password@host, with @ : / and # in the password written as %40 %3A %2F and %23'

/** Returns whether the URL names a relay. */
export const isRelayUrl = (url: string): boolean =>
  URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol) && new URL(url).hostname !== ''

/** Returns whether a DATABASE_URL names a PostgreSQL database. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url)
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

/** Returns whether the URL of a certificate authority cannot be intercepted. */
function isSafeDirectory(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Returns the parts of a text that are separated by commas or spaces. */
export const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

const rateLimitRules = z.array(z.tuple([z.number().positive(), z.int().positive()])).min(1)

/** All settings: the parser of the environment variable, the default, and the description. */
export const settingDeclarations = {
  PORT: {
    read: port,
    fallback: 9991,
    about: 'TCP port to listen on; 0 selects a free one. Unset with https: that of EXTERNAL_URL, or 443.',
  },
  LISTEN_HOST: {
    read: listenHost,
    fallback: 'localhost',
    about: 'Address or host name to listen on; `0.0.0.0` for all of IPv4, `*` for all. Unset with https: `*`.',
  },
  EXTERNAL_URL: {
    read: z
      .string()
      .transform(withoutFinalSlashes)
      .superRefine((text, context) => {
        const message = findUrlProblem(text)
        if (message !== null) context.addIssue({ code: 'custom', message })
      }),
    fallback: '',
    about:
      'Address of the root organization; organizations with a subdomain use subdomains of its host. Unset: http://localhost:PORT.',
  },
  HTTPS: {
    read: z.enum(['off', 'auto']),
    fallback: 'off' as const,
    about:
      '`auto` serves https, with certificates that the server [gets and renews by itself](https.md#https-by-itself).',
  },
  HTTPS_CERT: {
    read: z.string(),
    fallback: '',
    about:
      'File with a certificate chain, in PEM format: the server serves https with [this certificate](https.md#your-own-certificate). Needs HTTPS_KEY.',
  },
  HTTPS_KEY: { read: z.string(), fallback: '', about: 'File with the key of HTTPS_CERT, in PEM format.' },
  HTTP_PORT: {
    read: port,
    fallback: 80,
    about:
      'With https: TCP port for http, where the server proves its host names to the certificate authority and redirects pages to https; 0 for none.',
  },
  ACME_DIRECTORY_URL: {
    read: z.url('must be the URL of an ACME directory').refine(isSafeDirectory, 'must begin with https://'),
    fallback: LETS_ENCRYPT,
    about: 'Certificate authority for HTTPS=auto. The default is Let’s Encrypt.',
  },
  ACME_EMAIL: {
    read: z.email('must be an email address'),
    fallback: '',
    about: 'Email address for messages of the certificate authority to you.',
  },
  REALM_HOSTS: {
    read: json(
      z
        .record(z.string(), z.string())
        .refine((hosts) => Object.keys(hosts).every((host) => /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(host)), {
          error: 'must have host names in lower case, without a scheme and a port',
        }),
    ),
    fallback: {} as Record<string, string>,
    about: 'Other host names of organizations, as JSON: `{"chat.example.com": "subdomain"}`.',
  },
  DATABASE_URL: {
    read: z
      .string()
      .min(1)
      .refine((url) => isPostgresUrl(url) || !/^[a-z][a-z0-9+.-]+:\/\//i.test(url), {
        error: 'must be a path (SQLite), `memory`, or `postgres://…`',
      }),
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
      'Lets several processes serve the PostgreSQL database together. All of them need this setting, with FILES_URL, or the same DATA_DIR on every machine.',
  },
  DATA_DIR: { read: z.string().min(1), fallback: './data', about: 'Folder for all files of Parley.' },
  FILES_URL: {
    read: z.string().transform((text, context) => {
      const problem = findS3UrlProblem(text)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
      return text
    }),
    fallback: '',
    about:
      'Where uploaded files are, if not in DATA_DIR: [`s3://bucket/prefix`](files.md), with `?endpoint=…&region=…` for stores other than AWS.',
  },
  FILES_REDIRECT: {
    read: flag,
    fallback: false,
    about:
      'Sends browsers and apps to the S3 store for uploaded files, with addresses that expire after minutes, in place of passing the files on; [the trade-offs](files.md#let-browsers-load-files-from-the-store).',
  },
  AWS_ACCESS_KEY_ID: { read: z.string(), fallback: '', about: 'Access key for files in S3.' },
  AWS_SECRET_ACCESS_KEY: { read: z.string(), fallback: '', about: 'Secret key for files in S3.' },
  AWS_SESSION_TOKEN: { read: z.string(), fallback: '', about: 'Session token of temporary keys for files in S3.' },
  AWS_REGION: { read: z.string(), fallback: '', about: 'Region of files in S3. Unset: `us-east-1`.' },
  AWS_ENDPOINT_URL: {
    read: z.url({ protocol: /^https?$/, error: 'must be an https or http address' }).transform(withoutFinalSlashes),
    fallback: '',
    about: 'Address of the S3 store. Unset: AWS in that region.',
  },
  BACKUP_DIR: {
    read: z.string().transform((text, context) => {
      const problem = isS3Url(text) ? findS3UrlProblem(text) : null
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
      return text
    }),
    fallback: '',
    about:
      'Folder, or `s3://…` address, at which the server makes [backups](backups.md) by itself, each day if nothing else is set. Unset: none.',
  },
  BACKUP_TIME: {
    read: z.string().regex(/^([01]?\d|2[0-3]):[0-5]\d$/, 'must be a time of the day, such as 03:30'),
    fallback: '',
    about:
      'Time of the day for backups, such as `03:30`, in the time zone of the server (`TZ`). Unset: when the newest is old enough.',
  },
  BACKUP_EVERY_HOURS: {
    read: whole.refine((hours) => hours >= 1, 'must be at least 1'),
    fallback: 24,
    about: 'Hours from one backup to the next. With BACKUP_TIME, a divisor of 24.',
  },
  BACKUPS_KEPT: {
    read: whole.refine((count) => count >= 1, 'must be at least 1'),
    fallback: 7,
    about: 'Number of backups to keep in BACKUP_DIR.',
  },
  BACKUP_RETENTION: {
    read: retention,
    fallback: [] as (readonly [number, 'h' | 'd' | 'w' | 'm' | 'y'])[],
    about:
      'Backups to keep instead of BACKUPS_KEPT: `7d,4w,12m` keeps the newest of each of the last 7 days, 4 weeks and 12 months that have one; `h` and `y` are hours and years.',
  },
  BACKUP_VERIFY: {
    read: z.enum(['each', 'weekly', 'never']),
    fallback: 'each' as const,
    about: 'Which backups the server [verifies](backups.md#verify) by itself: `each`, one `weekly`, or `never`.',
  },
  BACKUP_PASSPHRASE: {
    read: z.string().min(12, 'needs at least 12 characters'),
    fallback: '',
    about: 'Passphrase with which backups are [encrypted](backups.md#encrypt).',
  },
  BACKUP_AGE_RECIPIENTS: {
    read: ageRecipients,
    fallback: [] as string[],
    about:
      'Public keys (`age1…`), separated by spaces, for which backups are encrypted instead. The server needs no secret key.',
  },
  SECRET_KEY: {
    read: z.string().min(32, 'needs at least 32 characters'),
    fallback: '',
    about:
      'Secret from which invitation links are derived; all processes that use the same database need the same secret. Unset: the file `secret` in DATA_DIR.',
  },
  SMTP_URL: {
    read: z.string().refine(isRelayUrl, RELAY_URL_FORM),
    fallback: '',
    about:
      'Relay for outgoing email: `smtp://user:password@host:587` or `smtps://…`. Unset: emails are kept for `parley mail show`.',
  },
  MAIL_FROM: {
    read: z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an address such as noreply@example.com'),
    fallback: '',
    about: 'Sender address of all emails. Unset: `noreply` at the host of EXTERNAL_URL.',
  },
  MAIL_IN_PORT: {
    read: port,
    fallback: 0,
    about: 'TCP port on which the server receives email for channels and replies to its emails; 0 for none.',
  },
  MAIL_IN_LISTEN_HOST: {
    read: listenHost,
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
    about:
      'File with the certificate chain for incoming email, in PEM format. Unset: the certificate of https, or no STARTTLS without https.',
  },
  MAIL_IN_TLS_KEY: { read: z.string(), fallback: '', about: 'File with the key of MAIL_IN_TLS_CERT, in PEM format.' },
  LOG_LEVEL: {
    read: z.enum(['debug', 'info', 'warn', 'error', 'silent'], {
      error: 'must be debug, info, warn, error or silent',
    }),
    fallback: 'info' as const,
    about: '`debug` (also a line for each request), `info`, `warn`, `error` or `silent`; see [Logs](#logs).',
  },
  TRUST_X_REAL_IP: {
    read: flag,
    fallback: false,
    about: 'Uses X-Real-IP from a reverse proxy as the client address.',
  },
  TRUSTED_PROXIES: {
    read: z.string().check(({ value, issues }) => {
      // A network of 0 bits contains every client, who could then claim any address.
      const wrong = listOf(value).filter((part) => (parseNetwork(part)?.bits ?? 0) === 0)
      if (wrong.length === 0) return
      const message = `must be IP addresses or networks such as 10.1.0.0/16, and not all addresses, separated by commas, unlike ${wrong.join(', ')}`
      issues.push({ code: 'custom', message, input: value })
    }),
    fallback: '',
    about:
      'Addresses and networks of proxies, separated by commas: `127.0.0.1, 10.1.0.0/16`. Their X-Forwarded-For names [the client](https.md#behind-a-proxy); with TRUST_X_REAL_IP, X-Real-IP counts only if it comes from them.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    read: whole,
    fallback: 100,
    about:
      'Maximum number of open connections of one address, or IPv6 network of 64 bits; 0 for no limit. Connections from this machine and from TRUSTED_PROXIES are not limited, nor are any connections with TRUST_X_REAL_IP.',
  },
  HSTS_SUBDOMAINS: {
    read: flag,
    fallback: false,
    about:
      'With an https address, makes browsers use https for all subdomains of the host as well. For hosts whose subdomains all have certificates.',
  },
  METRICS_PORT: {
    read: port,
    fallback: 0,
    about: 'TCP port on which [Prometheus](monitoring.md) reads `/metrics`, without a password; 0 for none.',
  },
  METRICS_LISTEN_HOST: {
    read: listenHost,
    fallback: 'localhost',
    about: 'Address or host name for METRICS_PORT; `0.0.0.0` for all. Only the monitoring should reach it.',
  },
  METRICS_TOKEN: {
    read: z.string().min(16, 'needs at least 16 characters'),
    fallback: '',
    about: 'Secret with which `/metrics` can be read on PORT: `Authorization: Bearer SECRET`. Unset: not there.',
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

/** Something wrong with the settings. */
export type SettingProblem = {
  /** The name of the variable, or of several. */
  setting: string
  problem: string
  /** False if the server starts in spite of it. The variable then has no effect, or another one than intended. */
  isFatal: boolean
}

/** Where the value of a setting comes from. */
type SettingSource = 'environment' | 'settings file' | 'secret file' | 'derived' | 'default'

/** A setting that is in force. */
export type SettingInForce = {
  setting: keyof Settings
  /** The value as text, without secrets; empty if there is none. */
  value: string
  source: SettingSource
  /** The file that contains it, or the rule by which it was derived. */
  from: string | null
  /** True if it was given, and differs from the default. */
  isChanged: boolean
}

/** Reads the settings from the environment; throws one `OperatorError` that lists every invalid setting. */
export function readSettings(environment: Environment = process.env): Settings {
  const { settings, problems } = inspectSettings(environment)
  if (settings === null) throw new OperatorError(listProblems(problems))
  return settings
}

/** Returns the problems as text, those first that keep the server from starting; empty if there are none. */
export function listProblems(problems: readonly SettingProblem[]): string {
  const list = (heading: string, some: readonly SettingProblem[]) =>
    some.length === 0 ? [] : [heading, ...some.map(({ setting, problem }) => `  ${setting}: ${problem}`)]
  return [
    ...list(
      'Invalid settings:',
      problems.filter(({ isFatal }) => isFatal),
    ),
    ...list(
      'Settings that do not prevent the start, but are probably wrong:',
      problems.filter(({ isFatal }) => !isFatal),
    ),
  ].join('\n')
}

/** Returns the settings, or null if any is invalid, and everything that is wrong with them. */
export function inspectSettings(environment: Environment = process.env): {
  settings: Settings | null
  problems: SettingProblem[]
} {
  const problems: SettingProblem[] = []
  const complain = (setting: string, problem: string, isFatal = true) => problems.push({ setting, problem, isFatal })
  const entries = Object.entries(settingDeclarations).map(([name, { read, fallback }]) => {
    const text = readGiven(environment, name, complain)
    if (text === undefined || text === '') return [name, structuredClone(fallback)]
    if (/^(["']).*\1$/s.test(text)) {
      complain(name, 'remove the quotes around the value, which are read as a part of it')
      return [name, structuredClone(fallback)]
    }
    if (text.trim() !== text) complain(name, 'remove the spaces or line breaks around the value', false)
    const parsed = read.safeParse(text)
    if (!parsed.success) {
      const message = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join(', ')
      complain(name, SECRETS.has(name) ? message : `${message}; it is "${shortened(withoutPasswords(text))}"`)
    }
    return [name, parsed.success ? parsed.data : structuredClone(fallback)]
  })
  const given = Object.fromEntries(entries) as Settings
  const isGiven = (name: string) => Boolean(environment[name] || (SECRETS.has(name) && environment[`${name}_FILE`]))
  if (servesHttps(given)) {
    if (!isGiven('PORT')) given.PORT = portOfHttps(given.EXTERNAL_URL)
    if (!isGiven('LISTEN_HOST')) given.LISTEN_HOST = '*'
  }
  for (const [one, other] of PAIRS) if (isGiven(one) !== isGiven(other)) complain(`${one}, ${other}`, 'need each other')
  for (const { setting, isWrong, problem } of CONFLICTS) if (isWrong(given)) complain(setting, problem)
  const isChanged = (name: keyof Settings) =>
    isGiven(name) && JSON.stringify(given[name]) !== JSON.stringify(settingDeclarations[name].fallback)
  for (const { setting, needs, isUseful } of NEEDED)
    if (isChanged(setting) && !isUseful(given)) complain(setting, `has no effect without ${needs}`, false)
  for (const { setting, problem } of findUnknownVariables(environment)) complain(setting, problem, false)
  const isValid = problems.every(({ isFatal }) => !isFatal)
  return { settings: isValid ? completeSettings(given) : null, problems }
}

/** Returns whether this node would make a secret of its own, which the other nodes do not have. */
const lacksCommonSecret = ({ FILES_URL, SEVERAL_NODES, SECRET_KEY, DATA_DIR }: Settings) =>
  FILES_URL !== '' && SEVERAL_NODES && SECRET_KEY === '' && !existsSync(join(DATA_DIR, 'secret'))

/** Combinations of settings with which the server cannot run. */
const CONFLICTS: readonly { setting: string; isWrong: (settings: Settings) => boolean; problem: string }[] = [
  ...(['OPEN_REALM_CREATION', 'DEMO_ORGANIZATIONS'] as const).map((setting) => ({
    setting,
    isWrong: (settings: Settings) => settings[setting] && isAtAddress(settings.EXTERNAL_URL),
    problem: 'needs an EXTERNAL_URL with a host name, because organizations get subdomains',
  })),
  {
    setting: 'SEVERAL_NODES',
    isWrong: ({ SEVERAL_NODES, DATABASE_URL }) => SEVERAL_NODES && !isPostgresUrl(DATABASE_URL),
    problem: 'needs a DATABASE_URL of PostgreSQL, because one process serves a SQLite file',
  },
  {
    setting: 'SECRET_KEY',
    isWrong: lacksCommonSecret,
    problem:
      'is needed on each node, because nodes with FILES_URL share no folder. Set the same output of `openssl rand -hex 32` ' +
      'everywhere; for nodes that shared a folder until now, copy its file `secret` to DATA_DIR of each instead',
  },
  {
    setting: 'PORT, MAIL_IN_PORT',
    isWrong: ({ PORT, MAIL_IN_PORT, LISTEN_HOST, MAIL_IN_LISTEN_HOST }) =>
      PORT !== 0 && PORT === MAIL_IN_PORT && LISTEN_HOST === MAIL_IN_LISTEN_HOST,
    problem: 'must be different ports',
  },
  {
    setting: 'HTTPS, HTTPS_CERT',
    isWrong: ({ HTTPS, HTTPS_CERT }) => HTTPS === 'auto' && HTTPS_CERT !== '',
    problem: 'only one of them can be set',
  },
  {
    setting: 'EXTERNAL_URL',
    isWrong: (settings) => servesHttps(settings) && !settings.EXTERNAL_URL.startsWith('https:'),
    problem: 'must begin with https:// with HTTPS=auto or HTTPS_CERT',
  },
  {
    setting: 'HTTPS=auto',
    isWrong: ({ HTTPS, EXTERNAL_URL }) => HTTPS === 'auto' && isAtAddress(EXTERNAL_URL),
    problem: 'needs an EXTERNAL_URL with a host name, because certificates are for names',
  },
  {
    setting: 'HTTPS=auto',
    isWrong: ({ HTTPS, EXTERNAL_URL, ACME_DIRECTORY_URL }) =>
      HTTPS === 'auto' && ACME_DIRECTORY_URL === LETS_ENCRYPT && isLocalName(EXTERNAL_URL),
    problem:
      'needs an EXTERNAL_URL of a host in public DNS: no public authority issues certificates for others. Set HTTPS_CERT and ' +
      'HTTPS_KEY instead, or ACME_DIRECTORY_URL to your own authority',
  },
  {
    setting: 'HTTPS=auto',
    isWrong: ({ HTTPS, HTTP_PORT }) => HTTPS === 'auto' && HTTP_PORT === 0,
    problem: 'needs an HTTP_PORT, because the certificate authority connects to port 80',
  },
  {
    setting: 'HTTPS=auto',
    isWrong: ({ HTTPS, SEVERAL_NODES }) => HTTPS === 'auto' && SEVERAL_NODES,
    problem:
      'does not work with SEVERAL_NODES, because the authority may ask any node. Let the proxy in front of the nodes serve ' +
      'https, or set HTTPS_CERT and HTTPS_KEY on each',
  },
  {
    setting: 'HTTPS=auto, TRUST_X_REAL_IP',
    isWrong: ({ HTTPS, TRUST_X_REAL_IP }) => HTTPS === 'auto' && TRUST_X_REAL_IP,
    problem: 'only one of them can be set, because clients connect directly and could claim any address',
  },
  {
    setting: 'PORT, HTTP_PORT',
    isWrong: (settings) => servesHttps(settings) && settings.PORT !== 0 && settings.PORT === settings.HTTP_PORT,
    problem: 'must be different ports',
  },
  {
    setting: 'BACKUP_EVERY_HOURS',
    isWrong: ({ BACKUP_TIME, BACKUP_EVERY_HOURS }) => BACKUP_TIME !== '' && 24 % BACKUP_EVERY_HOURS !== 0,
    problem: 'must be 1, 2, 3, 4, 6, 8, 12 or 24 with BACKUP_TIME',
  },
  {
    setting: 'BACKUP_PASSPHRASE, BACKUP_AGE_RECIPIENTS',
    isWrong: ({ BACKUP_PASSPHRASE, BACKUP_AGE_RECIPIENTS }) =>
      BACKUP_PASSPHRASE !== '' && BACKUP_AGE_RECIPIENTS.length > 0,
    problem: 'only one of them can be set',
  },
  {
    setting: 'PORT, METRICS_PORT',
    isWrong: ({ PORT, METRICS_PORT }) => PORT !== 0 && PORT === METRICS_PORT,
    problem: 'must be different ports',
  },
]

/** Returns the port of an https address. */
const portOfHttps = (url: string) => Number((URL.canParse(url) && new URL(url).port) || 443)

/** Returns whether the server itself speaks https. */
export const servesHttps = ({ HTTPS, HTTPS_CERT }: Pick<Settings, 'HTTPS' | 'HTTPS_CERT'>): boolean =>
  HTTPS === 'auto' || HTTPS_CERT !== ''

/** Names for which no public certificate authority issues certificates. */
const LOCAL_NAME = /^[^.]*$|\.(local|localhost|internal|lan|home|corp|test|invalid|example|home\.arpa)$/

const isLocalName = (url: string) => URL.canParse(url) && LOCAL_NAME.test(new URL(url).hostname)

/** Settings that do nothing unless another one has a certain value. */
const NEEDED: readonly { setting: keyof Settings; needs: string; isUseful: (settings: Settings) => boolean }[] = [
  ...(['BACKUP_TIME', 'BACKUP_EVERY_HOURS', 'BACKUPS_KEPT', 'BACKUP_RETENTION', 'BACKUP_VERIFY'] as const).map(
    (setting) => ({
      setting,
      needs: 'BACKUP_DIR',
      isUseful: ({ BACKUP_DIR }: Settings) => BACKUP_DIR !== '',
    }),
  ),
  {
    setting: 'BACKUPS_KEPT',
    needs: 'an empty BACKUP_RETENTION, which says what to keep',
    isUseful: ({ BACKUP_RETENTION }) => BACKUP_RETENTION.length === 0,
  },
  {
    setting: 'DATABASE_CONNECTIONS',
    needs: 'a DATABASE_URL of PostgreSQL',
    isUseful: ({ DATABASE_URL }) => isPostgresUrl(DATABASE_URL),
  },
  {
    setting: 'HSTS_SUBDOMAINS',
    needs: 'an EXTERNAL_URL with https',
    isUseful: ({ EXTERNAL_URL }) => EXTERNAL_URL.startsWith('https:'),
  },
  {
    setting: 'FILES_REDIRECT',
    needs: 'FILES_URL=s3://…',
    isUseful: ({ FILES_URL }) => FILES_URL !== '',
  },
  ...(['AWS_REGION', 'AWS_ENDPOINT_URL'] as const).map((setting) => ({
    setting,
    needs: 'FILES_URL=s3://… or BACKUP_DIR=s3://…',
    isUseful: ({ FILES_URL, BACKUP_DIR }: Settings) => FILES_URL !== '' || isS3Url(BACKUP_DIR),
  })),
  ...(['ACME_DIRECTORY_URL', 'ACME_EMAIL'] as const).map((setting) => ({
    setting,
    needs: 'HTTPS=auto',
    isUseful: ({ HTTPS }: Settings) => HTTPS === 'auto',
  })),
  { setting: 'HTTP_PORT', needs: 'HTTPS=auto or HTTPS_CERT', isUseful: (settings) => servesHttps(settings) },
  { setting: 'METRICS_LISTEN_HOST', needs: 'METRICS_PORT', isUseful: ({ METRICS_PORT }) => METRICS_PORT !== 0 },
  ...(['MAIL_IN_LISTEN_HOST', 'MAIL_IN_TLS_CERT'] as const).map((setting) => ({
    setting,
    needs: 'MAIL_IN_PORT',
    isUseful: ({ MAIL_IN_PORT }: Settings) => MAIL_IN_PORT !== 0,
  })),
  ...(['RATE_LIMITING_RULES', 'RATE_LIMITING_WORK'] as const).map((setting) => ({
    setting,
    needs: 'RATE_LIMITING=true',
    isUseful: ({ RATE_LIMITING }: Settings) => RATE_LIMITING,
  })),
  ...(['EXTERNAL_CONTENT_CACHE_MIB', 'GIPHY_API_KEY', 'TENOR_API_KEY'] as const).map((setting) => ({
    setting,
    needs: 'EXTERNAL_CONTENT=true',
    isUseful: ({ EXTERNAL_CONTENT }: Settings) => EXTERNAL_CONTENT,
  })),
  {
    setting: 'PUSH_SERVICE_HIDES_CONTENT',
    needs: 'PUSH_SERVICE_URL',
    isUseful: ({ PUSH_SERVICE_URL }) => PUSH_SERVICE_URL !== '',
  },
  ...(['OPEN_REALM_CREATION'] as const).map((setting) => ({
    setting,
    needs: 'SMTP_URL, because its links are sent by email',
    isUseful: ({ SMTP_URL }: Settings) => SMTP_URL !== '',
  })),
]

/** Returns whether the host of the URL is an IP address, which has no subdomains. */
const isAtAddress = (url: string) => URL.canParse(url) && isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0

/** The maximum number of characters of a wrong value in a message. */
const MAX_SHOWN = 80

const shortened = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** Returns the text of a setting, from the environment or from the file that `NAME_FILE` names. */
function readGiven(
  environment: Environment,
  name: string,
  complain: (setting: string, problem: string) => void,
): string | undefined {
  const file = SECRETS.has(name) ? environment[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return environment[name]
  if (environment[name]) complain(`${name}, ${name}_FILE`, 'only one of them can be set')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    complain(
      `${name}_FILE`,
      `cannot be read by the account of this process (${(error as NodeJS.ErrnoException).code}); it is "${file}"`,
    )
    return undefined
  }
}

/** Variables of other programs, which a file of settings may contain as well. */
const OTHER_VARIABLES =
  /^(?:NODE_|NODE$|UV_|OTEL_|AWS_|PG[A-Z]+$|LC_|LANG$|TZ$|PATH$|HOME$|TMPDIR$|SSL_CERT_|MALLOC_|XDG_|(?:https?|no|all)_proxy$|PARLEY_)/i

/** Returns the variables that look like misspelled settings, and all unknown ones of the settings file. */
function findUnknownVariables(environment: Environment): { setting: string; problem: string }[] {
  const settingsFile = environment['PARLEY_ENV_FILE']
  const inFile = settingsFile ? readEnvironmentFile(settingsFile) : new Map<string, string>()
  const signIn = environment['SIGN_IN_FILE']
  const secretsOfSignIn = signIn && inFile.size > 0 ? readIfPossible(signIn) : ''
  return Object.entries(environment).flatMap(([setting, value]) => {
    if (value === undefined || value === '' || isKnownVariable(setting)) return []
    if (setting.endsWith('_FILE') && setting.slice(0, -'_FILE'.length) in settingDeclarations)
      return [{ setting, problem: 'has no effect: this setting cannot be in a file of its own' }]
    const intended = findIntendedName(setting)
    if (intended !== null)
      return [{ setting, problem: `is not a setting, and has no effect. Did you mean ${intended}?` }]
    if (setting === 'NODE_OPTIONS' && inFile.has(setting))
      return [
        {
          setting,
          problem: 'has no effect in this file, which is read after the start of Node.js: give it to the service',
        },
      ]
    const isForOthers = OTHER_VARIABLES.test(setting) || secretsOfSignIn.includes(`"${setting}"`)
    return inFile.has(setting) && !isForOthers ? [{ setting, problem: 'is not a setting, and has no effect' }] : []
  })
}

const isKnownVariable = (name: string) =>
  name in settingDeclarations || (name.endsWith('_FILE') && SECRETS.has(name.slice(0, -'_FILE'.length)))

function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Returns the setting that someone probably meant by an unknown variable, or null. Short names prove nothing. */
function findIntendedName(variable: string): string | null {
  const name = variable.toUpperCase().replace(/^PARLEY_/, '')
  const known = [...Object.keys(settingDeclarations), ...[...SECRETS].map((secret) => `${secret}_FILE`)]
  const isPart = (one: string) => name.split('_').length > 1 && one.startsWith(`${name}_`)
  const isNear = (one: string) => {
    const most = Math.floor(one.length / 6)
    // At least the difference of the lengths. The start compares all variables of the environment.
    return Math.abs(name.length - one.length) <= most && distance(name, one) <= most
  }
  return known.find((one) => one === name) ?? known.find(isNear) ?? known.find(isPart) ?? null
}

/** Returns how many letters must be inserted, deleted, replaced or swapped with the next one to turn a name into another. */
function distance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = last[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? beforeLast[column - 2]! + 1 : Infinity
      current.push(Math.min(last[column]! + 1, current[column - 1]! + 1, replaced, swapped))
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[to.length]!
}

/** Returns a text without the passwords of URLs in it. */
function withoutPasswords(text: string): string {
  return text
    .replace(/(:\/\/[^:/?#@]*):[^/?#]*@/g, '$1:***@')
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&#]*/gi, '$1***')
}

/** Returns the value of a setting for people who must not see secrets. */
function shownValue(name: string, value: unknown, given: string | undefined): string {
  if (typeof value === 'object') return given || JSON.stringify(value)
  const text = String(value)
  if (text === '') return ''
  const mayBeSeen = !SECRETS.has(name) || (/_URL$/.test(name) && (URL.canParse(text) || !text.includes('@')))
  return mayBeSeen ? withoutPasswords(text) : 'set'
}

/** Returns all settings with the values that are in force. */
export function describeSettings(settings: Settings, environment: Environment = process.env): SettingInForce[] {
  const settingsFile = environment['PARLEY_ENV_FILE']
  const inFile = settingsFile ? readEnvironmentFile(settingsFile) : null
  return (Object.keys(settingDeclarations) as (keyof Settings)[]).map((setting) => {
    const { fallback, about } = settingDeclarations[setting]
    const [given, ownFile] = [environment[setting], environment[`${setting}_FILE`]]
    const isDifferent = JSON.stringify(settings[setting]) !== JSON.stringify(fallback)
    const shown = { setting, value: shownValue(setting, settings[setting], given), isChanged: isDifferent }
    if (SECRETS.has(setting) && ownFile) return { ...shown, source: 'secret file', from: ownFile }
    if (given && inFile?.get(setting) === given)
      return { ...shown, source: 'settings file', from: String(settingsFile) }
    if (given) return { ...shown, source: 'environment', from: null }
    if (!isDifferent) return { ...shown, source: 'default', from: null }
    return { ...shown, isChanged: false, source: 'derived', from: /Unset: (.*?)\.?$/.exec(about)?.[1] ?? null }
  })
}

/**
 * Adds the variables of a file, or else of the one that PARLEY_ENV_FILE names, to the environment of this process and
 * its children. Variables that are set already, even to an empty text, take precedence. Throws an `OperatorError` if the
 * file cannot be used.
 */
export function loadEnvironmentFile(
  file?: string,
  environment: Record<string, string | undefined> = process.env,
): void {
  if (file !== undefined) environment['PARLEY_ENV_FILE'] = file
  const path = environment['PARLEY_ENV_FILE']
  if (!path) return
  for (const [name, value] of readEnvironmentFile(path)) environment[name] ??= value
}

/**
 * Returns a hash of the value of each setting, so that processes can compare their settings without reading them. Only
 * who knows the secret can test guesses.
 */
export function fingerprintSettings(settings: Settings, secret: KeyObject): Record<string, string> {
  const hash = (name: string, value: unknown) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['setting', name, value]))
      .digest('base64url')
      .slice(0, 16)
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, hash(name, value)]))
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
