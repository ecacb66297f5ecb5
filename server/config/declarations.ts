import { isIP } from 'node:net'
import { z } from 'zod'
import { isLoopbackHost, parseNetwork, parsePrivateHost } from '#lib/public-address.ts'
import { findS3UrlProblem, isS3Url } from '#lib/s3-url.ts'
import { noSignInFile, readSignInFile } from '#lib/sign-in-file.ts'

// Every setting, with its form, default and description, in the order of the table in docs/operating.md. Combinations of
// settings are in contradictions.ts.

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

/** The beginning of a SECRET_KEY with the content of a file `secret`. Without it, the bytes of the text are the secret. */
export const AS_IN_FILE = 'hex:'

/** Settings that contain secrets. Instead of each, `NAME_FILE` may name a file, as vaults and service managers provide it. */
export const SECRETS: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'DATABASE_URLS',
  'DATABASE_READ_URLS',
  'SECRET_KEY',
  'NATS_URL',
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

/** Returns what is wrong with a NATS_URL, or null. */
function findNatsUrlProblem(text: string): string | null {
  const form = 'must be like nats://user:password@host:4222 or tls://host:4222; several servers are separated by commas'
  for (const server of text.split(',').map((part) => part.trim())) {
    if (!/^(nats|tls):\/\/./.test(server) || !URL.canParse(server)) return form
    const { hostname, username, password, pathname, searchParams } = new URL(server)
    if (hostname === '' || !['', '/'].includes(pathname)) return form
    if ((username === '') !== (password === '')) return 'must have a user and a password, or neither of them'
    const unknown = [...searchParams.keys()].find((name) => name !== 'ca' && name !== 'creds')
    if (unknown !== undefined) return `knows no ?${unknown}=; it can have ?ca=FILE and ?creds=FILE`
  }
  return null
}

/** The form of SMTP_URL. */
export const RELAY_URL_FORM =
  'must be like smtp://user:password@host:587 or smtps://user:password@host, with @ : / and # in the password written as %40 %3A %2F and %23'

/** Returns whether the URL names a relay. */
export const isRelayUrl = (url: string): boolean =>
  URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol) && new URL(url).hostname !== ''

/** Returns whether a DATABASE_URL names a PostgreSQL database. */
export const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:/.test(url)

/** The maximum number of databases, and the step between the ids that one of them allocates. */
export const MAX_DATABASES = 16

/** The directory of Let’s Encrypt. */
export const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

/** Returns whether the URL of a certificate authority cannot be intercepted. */
function isSafeDirectory(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Returns the parts of a text that are separated by commas or spaces. */
export const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

const postgresUrls = (error: string) =>
  z.string().refine((text) => listOf(text).every((url) => isPostgresUrl(url) && URL.canParse(url)), { error })

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
      .refine((url) => isPostgresUrl(url) || !/^[a-z][a-z0-9+.-]+:/i.test(url), {
        error: 'must be a path (SQLite), `memory`, or `postgres://…`',
      }),
    fallback: '',
    about:
      'A path (SQLite), `memory`, or `postgres://user:password@host/database`. Unset: the file `parley.db` in DATA_DIR.',
  },
  DATABASE_URLS: {
    read: postgresUrls('must be `postgres://…` of two databases or more, separated by commas').refine(
      (text) => listOf(text).length > 1 && listOf(text).length <= MAX_DATABASES,
      { error: 'must name 2 to 16 databases; a single one belongs in DATABASE_URL' },
    ),
    fallback: '',
    about:
      'PostgreSQL databases over which [organizations are spread](moving.md#spread-organizations-over-several-databases), separated by commas: `postgres://user:password@host/database`. The first has the directory of organizations.',
  },
  DATABASE_CONNECTIONS: {
    read: whole.refine((count) => count >= 3, 'must be at least 3'),
    fallback: 10,
    about: 'Maximum number of connections to PostgreSQL that run statements. Each node needs one more.',
  },
  DATABASE_READ_URLS: {
    read: postgresUrls('must be `postgres://…` of one replica or several, separated by commas'),
    fallback: '',
    about:
      'Hot standbys of the PostgreSQL database, separated by commas, which [answer large reads](moving.md#read-from-replicas): `postgres://user:password@host/database`.',
  },
  SEVERAL_NODES: {
    read: flag,
    fallback: false,
    about:
      'Lets several processes serve the PostgreSQL database together. All of them need this setting, with FILES_URL, or the same DATA_DIR on every machine.',
  },
  NATS_URL: {
    read: z.string().transform((text, context) => {
      const problem = findNatsUrlProblem(text)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
      return text
    }),
    fallback: '',
    about:
      'NATS servers over which nodes [send each other changes](moving.md#connect-nodes-by-nats): `nats://user:password@host1:4222,nats://host2:4222`. Unset: PostgreSQL does it.',
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
    read: z
      .string()
      .min(32, 'needs at least 32 characters')
      .refine(
        (text) => !text.startsWith(AS_IN_FILE) || /^[0-9a-f]{64}$/.test(text.slice(AS_IN_FILE.length)),
        'needs the content of a file `secret` after hex:, which is 64 hexadecimal digits',
      ),
    fallback: '',
    about:
      'Secret from which invitation links are derived; all processes that use the same database need the same secret. `hex:` and the content of a file `secret` keep the secret in it. Unset: the file `secret` in DATA_DIR.',
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
  EXTERNAL_CONTENT_PRIVATE_HOSTS: {
    read: json(z.array(privateHost)),
    fallback: [] as string[],
    about:
      'Hosts, addresses and networks whose pictures and pages are shown although they are not public, at any port, as JSON: `["wiki.internal", "10.2.0.0/16"]`; `["*"]` for all. Their titles and pictures are visible to all users.',
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
