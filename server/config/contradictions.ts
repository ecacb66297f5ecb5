import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isS3Url } from '#lib/s3-url.ts'
import { isPostgresUrl, LETS_ENCRYPT, listOf, type Settings } from './declarations.ts'

// The settings that contradict each other, need each other, or do nothing without others.

/** Settings that are of use only together. */
export const PAIRS = [
  ['BIG_BLUE_BUTTON_URL', 'BIG_BLUE_BUTTON_SECRET'],
  ['VIDEO_ZOOM_CLIENT_ID', 'VIDEO_ZOOM_CLIENT_SECRET'],
  ['MAIL_IN_TLS_CERT', 'MAIL_IN_TLS_KEY'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['HTTPS_CERT', 'HTTPS_KEY'],
] as const

/** Returns whether the server itself speaks https. */
export const servesHttps = ({ HTTPS, HTTPS_CERT }: Pick<Settings, 'HTTPS' | 'HTTPS_CERT'>): boolean =>
  HTTPS === 'auto' || HTTPS_CERT !== ''

/** Returns whether this node would make a secret of its own, which the other nodes do not have. */
const lacksCommonSecret = ({ FILES_URL, SEVERAL_NODES, SECRET_KEY, DATA_DIR }: Settings) =>
  FILES_URL !== '' && SEVERAL_NODES && SECRET_KEY === '' && !existsSync(join(DATA_DIR, 'secret'))

/** Returns whether SECRET_KEY is the text of the file that it replaces, whose bytes are another secret. */
function copiesText({ SECRET_KEY, DATA_DIR }: Settings): boolean {
  const path = join(DATA_DIR, 'secret')
  try {
    return SECRET_KEY !== '' && existsSync(path) && readFileSync(path, 'latin1').trim() === SECRET_KEY
  } catch {
    return false
  }
}

/** Combinations of settings with which the server cannot run. */
export const CONFLICTS: readonly { setting: string; isWrong: (settings: Settings) => boolean; problem: string }[] = [
  ...(['OPEN_REALM_CREATION', 'DEMO_ORGANIZATIONS'] as const).map((setting) => ({
    setting,
    isWrong: (settings: Settings) => settings[setting] && isAtAddress(settings.EXTERNAL_URL),
    problem: 'needs an EXTERNAL_URL with a host name, because organizations get subdomains',
  })),
  {
    setting: 'DATABASE_URL, DATABASE_URLS',
    isWrong: ({ DATABASE_URL, DATABASE_URLS }) =>
      DATABASE_URL !== '' && DATABASE_URLS !== '' && DATABASE_URL !== listOf(DATABASE_URLS)[0],
    problem: 'must name the same database first; DATABASE_URL can be left out',
  },
  {
    setting: 'DATABASE_URLS',
    isWrong: ({ DATABASE_URLS }) => new Set(listOf(DATABASE_URLS)).size < listOf(DATABASE_URLS).length,
    problem: 'names a database twice',
  },
  {
    setting: 'DATABASE_URLS, HTTPS=auto',
    isWrong: ({ DATABASE_URLS, HTTPS }) => DATABASE_URLS !== '' && HTTPS === 'auto',
    problem:
      'cannot be combined. Let a proxy in front of the server serve https, or set HTTPS_CERT and HTTPS_KEY to a certificate for all organizations',
  },
  {
    setting: 'SEVERAL_NODES',
    isWrong: ({ SEVERAL_NODES, DATABASE_URL, DATABASE_URLS }) =>
      SEVERAL_NODES && DATABASE_URLS === '' && !isPostgresUrl(DATABASE_URL),
    problem: 'needs a DATABASE_URL of PostgreSQL, because one process serves a SQLite file',
  },
  {
    setting: 'NATS_URL',
    isWrong: ({ NATS_URL, SEVERAL_NODES }) => NATS_URL !== '' && !SEVERAL_NODES,
    problem: 'needs SEVERAL_NODES=true, because one process has no other node to send messages to',
  },
  {
    setting: 'SECRET_KEY',
    isWrong: lacksCommonSecret,
    problem:
      'is needed on each node, because nodes with FILES_URL share no folder. Set it to hex: and the content of the file ' +
      '`secret` that the server has had until now, or, if this is a new installation, to the output of `openssl rand -hex 32`',
  },
  {
    setting: 'SECRET_KEY',
    isWrong: copiesText,
    problem:
      'is the text of the file `secret` in DATA_DIR, which makes another secret. Write hex: before it, so that links, ' +
      'second factors and encrypted tokens stay valid. If the server has already run with it, delete the file instead',
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

/** Settings that do nothing unless another one has a certain value. */
export const NEEDED: readonly { setting: keyof Settings; needs: string; isUseful: (settings: Settings) => boolean }[] =
  [
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
    ...(['DATABASE_CONNECTIONS', 'DATABASE_READ_URLS'] as const).map((setting) => ({
      setting,
      needs: 'a DATABASE_URL of PostgreSQL',
      isUseful: ({ DATABASE_URL, DATABASE_URLS }: Settings) => isPostgresUrl(DATABASE_URL) || DATABASE_URLS !== '',
    })),
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

/** Names for which no public certificate authority issues certificates. */
const LOCAL_NAME = /^[^.]*$|\.(local|localhost|internal|lan|home|corp|test|invalid|example|home\.arpa)$/

const isLocalName = (url: string) => URL.canParse(url) && LOCAL_NAME.test(new URL(url).hostname)
