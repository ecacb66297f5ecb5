import { createHmac } from 'node:crypto'
import { fingerprintSettings, type Settings } from '#config.ts'
import type { Log } from '#lib/log.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { CannotOpenStorage, type Db, type Storage, type Transaction } from './storage.ts'

// Compares the settings of the nodes that serve one database. The first node stores a keyed hash of each; a node that
// joins is refused if links, organizations or files would differ, and warned about other differences. No setting can be
// read from the hashes.

/** The row of `installation` with the hashes. */
const ROW = 'settings of nodes'

/** Settings without which nodes would send different links, find different organizations, or store files elsewhere. */
const NEEDED_EQUAL = ['EXTERNAL_URL', 'REALM_HOSTS', 'FILES_URL'] as const

/** Settings of one machine or process. */
const OWN: ReadonlySet<string> = new Set([
  ...['PORT', 'LISTEN_HOST', 'HTTP_PORT', 'MAIL_IN_PORT', 'MAIL_IN_LISTEN_HOST', 'METRICS_PORT', 'METRICS_LISTEN_HOST'],
  ...[
    'DATABASE_URL',
    'DATABASE_URLS',
    'DATABASE_READ_URLS',
    'DATABASE_CONNECTIONS',
    'DATA_DIR',
    'LOG_LEVEL',
    'HTTP_FAST_PATH',
    'SECRET_KEY',
  ],
  // Nodes may list other servers of the same cluster. One of another cluster logs that it receives nothing.
  'NATS_URL',
  ...['MAIL_IN_TLS_CERT', 'MAIL_IN_TLS_KEY', 'HTTPS_CERT', 'HTTPS_KEY'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
])

type Fingerprint = { secret: string; settings: Record<string, string> }

function fingerprintOf({ settings, secret }: Db): Fingerprint {
  const { FILES_URL, BACKUP_DIR } = settings
  const compared: Settings = {
    ...settings,
    FILES_URL: withoutKeys(FILES_URL),
    BACKUP_DIR: isS3Url(BACKUP_DIR) ? withoutKeys(BACKUP_DIR) : BACKUP_DIR,
  }
  const hashes = Object.entries(fingerprintSettings(compared, secret()))
  return {
    secret: createHmac('sha256', secret()).update('the secret of the nodes').digest('base64url'),
    settings: Object.fromEntries(hashes.filter(([name]) => !OWN.has(name))),
  }
}

/** Stores the settings of this node as those of all. It must be called while no other node serves the database. */
export const saveSharedSettings = ({ db, transaction }: Storage): Promise<void> =>
  transaction((tx) => save(tx, fingerprintOf(db)))

async function save(tx: Transaction, fingerprint: Fingerprint): Promise<void> {
  const value = JSON.stringify(fingerprint)
  await tx
    .insertInto('installation')
    .values({ name: ROW, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/**
 * Throws a `CannotOpenStorage` if this node has another secret or other settings than the nodes that serve the database,
 * and logs a warning about settings that should be equal.
 */
export async function requireSharedSettings({ db, transaction }: Storage, log: Log): Promise<void> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', ROW).executeTakeFirst()
  // A node of an earlier version stored none.
  if (row === undefined) return
  const [ours, theirs] = [fingerprintOf(db), JSON.parse(row.value) as Fingerprint]
  const different = Object.keys(ours.settings).filter(
    (name) => theirs.settings[name] !== undefined && theirs.settings[name] !== ours.settings[name],
  )
  const wrong = ours.secret === theirs.secret ? NEEDED_EQUAL.filter((name) => different.includes(name)) : ['SECRET_KEY']
  if (wrong.length > 0)
    throw new CannotOpenStorage(
      `This node has another ${wrong.join(' and another ')} than the nodes that serve the database, so that ` +
        `${wrong[0] === 'SECRET_KEY' ? 'links and keys of one would be invalid at the other' : 'links, organizations or files would differ'}. ` +
        `Give all nodes the same ${wrong.join(' and ')}${wrong[0] === 'SECRET_KEY' ? ' (or, without it, the same DATA_DIR/secret)' : ''}. ` +
        'To change it, stop all nodes first.',
    )
  if (different.length === 0) return
  log.warn(
    { settings: different },
    'This node has other settings than another node had. Give all nodes the same, and restart those with the old ones',
  )
  await transaction((tx) => save(tx, ours))
}
