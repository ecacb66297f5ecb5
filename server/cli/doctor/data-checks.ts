import { constants, existsSync, readFileSync, type Stats } from 'node:fs'
import { access, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isPostgresUrl } from '#config.ts'
import { accountName, commandLine } from '#lib/process.ts'
import {
  type CheckGroup,
  type DoctorContext,
  type Finding,
  formatBytes,
  ok,
  problem,
  skipped,
  warning,
} from './check.ts'

// The folder of the installation, and the SQLite database in it.

const MEBIBYTE = 1024 ** 2

/** Free bytes below which the server soon cannot write, and below which it is time to make space. */
const [TOO_FULL, ALMOST_FULL] = [256 * MEBIBYTE, 2048 * MEBIBYTE]

/** The type numbers of file systems on which SQLite is unsafe, or files do not last. */
const UNSUITABLE: Readonly<Record<number, string>> = {
  26985: 'NFS',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914836: 'tmpfs',
  2240043254: 'ramfs',
  2035054128: 'overlay',
}

const NETWORK = ['NFS', 'CIFS', 'SMB']

/** Returns how to write the folder in a command. */
const quoted = (path: string) => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)

async function checkFolder({ settings, server }: DoctorContext): Promise<Finding[]> {
  const folder = resolve(settings.DATA_DIR)
  if (!existsSync(folder))
    return [
      problem(
        'data folder',
        `${folder} does not exist`,
        'Check DATA_DIR, and that its disk is mounted. A first start creates the folder.',
      ),
    ]
  const { uid, mode } = await stat(folder)
  const entries = (await readdir(folder)).map((name) => ({ name, path: join(folder, name) }))
  const owners = new Map<string, Stats>()
  for (const { name, path } of entries) {
    const found = await stat(path).catch(() => null)
    if (found !== null) owners.set(name, found)
  }
  // Root may examine any installation. Other accounts run commands as the server does.
  const ownUid = process.getuid?.() ?? 0
  const account = server.value?.uid ?? (ownUid === 0 ? uid : ownUid)
  const foreign = [...owners].filter(([, one]) => one.uid !== account).map(([name]) => name)
  const findings: Finding[] = []
  if (uid !== account || foreign.length > 0)
    findings.push(
      problem(
        'owner',
        uid !== account
          ? `${folder} belongs to the account ${accountName(uid)}, and the ${server.value === null ? 'command' : 'server'} runs as ${accountName(account)}`
          : `${foreign.slice(0, 5).join(', ')} in ${folder} ${foreign.length === 1 ? 'belongs' : 'belong'} to another account than the folder (${accountName(account)})`,
        `chown -R ${accountName(account)} ${quoted(folder)}`,
      ),
    )
  else findings.push(ok('owner', `${folder} belongs to the account ${accountName(account)}`))
  const open = [...owners]
    .filter(([name, one]) => (one.mode & 0o007) !== 0 && name !== 'folder-id')
    .map(([name]) => name)
  // A closed folder protects what is in it.
  if ((mode & 0o007) === 0) findings.push(ok('permissions', 'other accounts cannot read the folder'))
  else if (open.length > 0)
    findings.push(
      warning(
        'permissions',
        `all accounts of this machine can read ${open.slice(0, 5).join(', ')}`,
        `chmod -R o-rwx ${quoted(folder)}`,
      ),
    )
  else findings.push(ok('permissions', 'other accounts cannot read the files'))
  if (process.getuid?.() === account)
    findings.push(
      await access(folder, constants.W_OK).then(
        () => ok('writable', 'the server may write to the folder'),
        () => problem('writable', `${folder} is read-only`, `Mount it writable, or chmod u+rwx ${quoted(folder)}`),
      ),
    )
  return findings
}

async function checkSpace({ settings }: DoctorContext): Promise<Finding[]> {
  const { DATA_DIR, DATABASE_URL: url } = settings
  const folders = isPostgresUrl(url) || url === 'memory' ? [DATA_DIR] : [DATA_DIR, dirname(resolve(url))]
  const devices = new Map<number, string>()
  for (const folder of folders.map((one) => resolve(one))) {
    const found = await stat(folder).catch(() => null)
    if (found !== null) devices.set(found.dev, devices.get(found.dev) ?? folder)
  }
  return Promise.all([...devices.values()].map(spaceOf))
}

async function spaceOf(folder: string): Promise<Finding> {
  const { bavail, bsize, blocks, ffree, files } = await statfs(folder)
  const [free, share] = [bavail * bsize, bavail / blocks]
  const found = `${formatBytes(free)} are free (${Math.round(share * 100)} %) on the disk of ${folder}`
  const fix = 'Delete what is not needed, move BACKUP_DIR to another disk, or enlarge the disk.'
  if (files > 0 && ffree / files < 0.01)
    return problem(
      'free space',
      `only ${ffree} more files fit on the disk of ${folder}`,
      'Delete small files: the file system has no inodes left.',
    )
  if (free < TOO_FULL) return problem('free space', `${found}; on a full disk, the server refuses all writes`, fix)
  return free < ALMOST_FULL ? warning('free space', found, fix) : ok('free space', found)
}

async function checkFileSystem({ settings }: DoctorContext): Promise<Finding[]> {
  const isSqlite = !isPostgresUrl(settings.DATABASE_URL)
  const folder = resolve(
    isSqlite && settings.DATABASE_URL !== 'memory' ? dirname(settings.DATABASE_URL) : settings.DATA_DIR,
  )
  if (!existsSync(folder)) return []
  const { type } = await statfs(folder)
  const name = UNSUITABLE[type]
  const options = findMountOptions(folder)
  if (name !== undefined && NETWORK.includes(name) && isSqlite)
    return [
      problem(
        'file system',
        `the SQLite database is on ${name}, where locks are not reliable and the database can break`,
        'Move DATA_DIR to a local disk, or use PostgreSQL (DATABASE_URL).',
      ),
    ]
  if (name !== undefined && !NETWORK.includes(name))
    return [
      (name === 'overlay' ? warning : problem)(
        'file system',
        `${folder} is on ${name}, whose files are lost ${name === 'overlay' ? 'with the container' : 'when the machine restarts'}`,
        name === 'overlay' ? 'Mount a volume at DATA_DIR.' : 'Move DATA_DIR to a disk.',
      ),
    ]
  if (options.some((option) => ['nobarrier', 'barrier=0'].includes(option)))
    return [
      problem(
        'file system',
        `${folder} is mounted with ${options.join(',')}: a power cut can break the database`,
        'Remove nobarrier from the options in /etc/fstab, and mount it again.',
      ),
    ]
  return [ok('file system', name === undefined ? 'suitable for a database' : `files on ${name}`)]
}

/** Returns the options of the mount that contains the folder; none if the system does not say. */
function findMountOptions(folder: string): string[] {
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
    const [best] = mounts
      .filter(([, , , , point = '-']) => folder === point || folder.startsWith(point === '/' ? point : `${point}/`))
      .sort(([, , , , one = ''], [, , , , other = '']) => other.length - one.length)
    return [best?.[5], best?.at(-1)].flatMap((options) => options?.split(',') ?? [])
  } catch {
    return []
  }
}

/** The size up to which the whole database is checked without being asked for, in bytes. */
const QUICKLY_CHECKED = 256 * MEBIBYTE

/** The size of the write-ahead log above which something keeps it from being copied into the database. */
const LARGE_LOG = 256 * MEBIBYTE

async function checkSqlite({ settings, database, isDeep }: DoctorContext): Promise<Finding[]> {
  const path = settings.DATABASE_URL
  if (isPostgresUrl(path) || path === 'memory' || database.value === null) return []
  const { size } = await stat(path)
  const log = await stat(`${path}-wal`).catch(() => null)
  const findings = [
    log !== null && log.size > LARGE_LOG
      ? warning(
          'write-ahead log',
          `${path}-wal has ${formatBytes(log.size)}`,
          'Stop programs that read the database for a long time, such as a copy in progress; then restart the server.',
        )
      : ok('write-ahead log', log === null ? 'empty' : formatBytes(log.size)),
  ]
  if (size > QUICKLY_CHECKED && !isDeep) {
    return [
      ...findings,
      skipped(
        'integrity',
        `the database has ${formatBytes(size)}`,
        `Run \`${commandLine('doctor --deep')}\` at a quiet time.`,
      ),
    ]
  }
  const rows = await database.value.query(isDeep ? 'pragma integrity_check(5)' : 'pragma quick_check(5)')
  const faults = rows.flatMap((row) => Object.values(row)).filter((text) => text !== 'ok')
  const name = isDeep ? 'integrity (complete)' : 'integrity'
  return [
    ...findings,
    faults.length === 0
      ? ok(name, `${formatBytes(size)} without a fault`)
      : problem(
          name,
          `the database is damaged: ${faults.join('; ')}`,
          'Stop the server, keep the file, and restore the newest backup that was verified. Check the disk and the memory of the machine.',
        ),
  ]
}

export const dataChecks: CheckGroup = {
  title: 'Data',
  checks: [
    { name: 'data folder', run: checkFolder },
    { name: 'free space', run: checkSpace },
    { name: 'file system', run: checkFileSystem },
    { name: 'integrity', run: checkSqlite },
  ],
}
