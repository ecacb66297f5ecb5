import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { CompiledQuery } from 'kysely'
import { isPostgresUrl, readSettings, type Settings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { explainError } from '#lib/errors.ts'
import { commandLine } from '#lib/process.ts'
import { withoutCredentials } from '#lib/s3-url.ts'
import { hasOrganization } from '#realms/queries.ts'
import { backUpSqlite, createAtomically, useDatabaseFile } from '#storage/copy.ts'
import { openFiles } from '#storage/open-files.ts'
import { findServerSecret, SECRET_FILE } from '#storage/open-storage.ts'
import { findCheck, findSnapshots, locateBackup, openPlace } from '#transfer/backup-places.ts'
import { findBackupState, findLastBackupInFile, saveBackupTimes, saveBackupTimesInFile } from '#transfer/backups.ts'
import { type KeptBackup, keepBackup, openEncryption } from '#transfer/keep-backups.ts'
import { type BackupSource, type MadeBackup, makeBackup } from '#transfer/make-backup.ts'
import { HAS_ORGANIZATIONS, type Restored, restoreBackup } from '#transfer/restore-backup.ts'
import {
  isVerified,
  type Keys,
  openBackup,
  saveCheck,
  type Verification,
  verifyBackup,
} from '#transfer/verify-backup.ts'
import { CliError, openDatabase, requireDatabase, requireOneDatabase } from './cli-context.ts'
import { copyDatabaseAndIndex } from './database-commands.ts'
import { collect, formatCount, jsonOption, openProgress, print, toIsoTime } from './output.ts'

const HELP = `
Examples:
  parley backup                          make a backup in BACKUP_DIR, verify it, delete old ones
  parley backup /backups/before-upgrade  make a backup in a new folder
  parley backup list
  parley backup verify /backups/before-upgrade
  parley backup restore /backups/before-upgrade --to /var/lib/parley-restored

docs/backups.md explains schedules, encryption and restores.
`

type KeyOptions = { identity: string[]; passphraseFile?: string }

export function addBackupCommand(program: Command): void {
  const backup = program
    .command('backup [path]')
    .description(
      'back up the database and all uploaded files to a new folder, or to BACKUP_DIR; the server may be running',
    )
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (path: string | undefined, { json }: { json: boolean }) =>
      path === undefined ? backUpToPlace(json) : backUpToFolder(resolve(path), json),
    )

  backup
    .command('list [place]')
    .description('list the backups in BACKUP_DIR, or in another place')
    .addOption(jsonOption())
    .action(async (place: string | undefined, _, command: Command) =>
      list(place, optionsOf<{ json: boolean }>(command).json),
    )

  addKeyOptions(
    backup
      .command('verify [path]')
      .description(
        'read a whole backup, by default the newest in BACKUP_DIR, and restore its database to a temporary place',
      ),
  )
    .addOption(jsonOption())
    .action(async (path: string | undefined, _, command: Command) => verify(path ?? null, optionsOf(command)))

  addKeyOptions(
    backup
      .command('restore [path]')
      .description(
        'restore a backup, by default the newest in BACKUP_DIR, to DATABASE_URL and DATA_DIR, while no server runs',
      ),
  )
    .option('--to <folder>', 'restore to this empty folder instead, with SQLite')
    .option('--replace', 'move present data to a folder beside it', false)
    .option('--allow-damaged', 'restore everything that is intact, if the database is', false)
    .addOption(jsonOption())
    .action(async (path: string | undefined, _, command: Command) => restore(path ?? null, optionsOf(command)))
}

/** The parser gives `--json`, which `parley backup` has as well, to that command. */
const optionsOf = <Options>(command: Command) => command.optsWithGlobals<Options & object>()

const addKeyOptions = (command: Command) =>
  command
    .option('--identity <file>', 'file with the secret key of age; can be repeated', collect, [])
    .option('--passphrase-file <file>', 'file with the passphrase; otherwise BACKUP_PASSPHRASE, or a prompt')

/** Returns the data to back up. On PostgreSQL, the copy is a SQLite file, too, so that it can be restored anywhere. */
async function openSource(settings: Settings): Promise<BackupSource> {
  requireDatabase(settings)
  return {
    copyDatabase: (file) => copyDatabaseTo(settings, file),
    databaseBytes: await findDatabaseSize(settings),
    files: await openFiles(settings),
    secret: findServerSecret(settings)?.export() ?? null,
    secretFile: settings.SECRET_KEY === '' ? join(settings.DATA_DIR, SECRET_FILE) : null,
  }
}

async function findDatabaseSize(settings: Settings): Promise<number> {
  if (!isPostgresUrl(settings.DATABASE_URL)) return (await stat(settings.DATABASE_URL)).size
  await using storage = await openDatabase(settings, { serve: false })
  const { rows } = await storage.db.executeQuery<{ size: number }>(
    CompiledQuery.raw('select pg_database_size(current_database())::float8 as "size"'),
  )
  return rows[0]?.size ?? 0
}

async function copyDatabaseTo(settings: Settings, file: string): Promise<void> {
  if (!isPostgresUrl(settings.DATABASE_URL)) return backUpSqlite(settings.DATABASE_URL, file)
  {
    await using from = await openDatabase(settings, { serve: false })
    await using to = await openDatabase({ ...settings, DATABASE_URL: file }, { serve: true })
    await copyDatabaseAndIndex(from, to)
  }
  await rm(`${file}.lock`)
}

/** Makes a backup in a new folder, which has everything in it. */
async function backUpToFolder(path: string, json: boolean): Promise<void> {
  const settings = readSettings()
  requireOneDatabase(settings, `backup ${path}`)
  const clock = systemClock()
  const source = await openSource(settings)
  using progress = openProgress()
  const made = await createAtomically(path, 'a backup', async (unfinished) => {
    const folder = join(unfinished, 'backup')
    await mkdir(folder, { mode: 0o700 })
    const place = await openPlace(folder, settings)
    const result = await makeBackup(source, {
      ...{ to: { place, folder: '' }, work: unfinished, clock },
      encryption: await openEncryption(null, settings),
      onProgress: (done, all) => progress.report('Files', done, all),
    })
    return { path: folder, result }
  })
  await recordTimes(settings, { lastBackupAt: made.manifest.created_at, damagedAt: 0 })
  if (json) print({ folder: path, ...factsOf(made) }, json)
  else process.stdout.write(`${summaryOf(path, made)}\n\n${nextSteps(settings, path, made)}`)
}

/** Makes a backup in BACKUP_DIR as the server does. */
async function backUpToPlace(json: boolean): Promise<void> {
  const settings = readSettings()
  if (settings.BACKUP_DIR === '')
    throw new CliError(`BACKUP_DIR is not set. Set it, or name a new folder: ${commandLine('backup /backups/monday')}`)
  requireOneDatabase(settings, 'backup')
  requireDatabase(settings)
  using progress = openProgress()
  const place = await openPlace(settings.BACKUP_DIR, settings)
  const kept = await keepBackup(() => openSource(settings), {
    ...{ place, settings, clock: systemClock() },
    onProgress: (what, done, all) => progress.report(what, done, all),
  })
  const { created_at: lastBackupAt } = kept.manifest
  const isDamaged = (kept.verification?.faults.length ?? 0) > 0
  await recordTimes(settings, {
    ...{ lastBackupAt, damagedAt: isDamaged ? lastBackupAt : 0 },
    ...(kept.isVerified && { lastVerifiedAt: lastBackupAt }),
  })
  const name = `${place.name}/${kept.folder.slice(0, -1)}`
  for (const warning of kept.warnings) process.stderr.write(`${warning}\n`)
  if (kept.verification !== null && !kept.isVerified)
    throw new CliError(`The backup ${name} is damaged. Older ones are kept.\n${faultLines(kept.verification)}`)
  if (json) print({ folder: name, ...factsOf(kept), verified: kept.isVerified, deleted: kept.deleted }, json)
  else process.stdout.write(`${summaryOf(name, kept)}\n${outcomeOf(kept)}\n${secretSteps(settings, kept)}`)
}

function outcomeOf({ writtenBytes, verification, deleted }: KeptBackup): string {
  const older = deleted === 0 ? '' : ` Deleted ${formatCount(deleted)} older ${deleted === 1 ? 'backup' : 'backups'}.`
  return `Wrote ${inMegabytes(writtenBytes)}; the other files are those of earlier backups. ${
    verification === null
      ? 'Not verified this time (BACKUP_VERIFY).'
      : verification.isRestored
        ? 'Verified: everything was read, and the database was restored to a temporary place.'
        : 'Verified: the database was checked before it was encrypted, and everything was read again. Without the secret key, the server cannot restore it.'
  }${older}\n`
}

const factsOf = ({ databaseBytes, files, fileBytes, manifest }: MadeBackup) => ({
  database_bytes: databaseBytes,
  files,
  file_bytes: fileBytes,
  encryption: manifest.encryption,
})

/** Saves the times in the database for those who watch the age of backups. The backup is complete even if this fails. */
async function recordTimes(settings: Settings, times: Parameters<typeof saveBackupTimes>[1]): Promise<void> {
  try {
    if (!isPostgresUrl(settings.DATABASE_URL)) return saveBackupTimesInFile(settings.DATABASE_URL, times)
    await using storage = await openDatabase(settings, { serve: false })
    await storage.transaction((tx) => saveBackupTimes(tx, times))
  } catch (error) {
    const reason = explainError(error)
    if (reason === null) throw error
    process.stderr.write(`The time of this backup could not be saved for the health page: ${reason}\n`)
  }
}

function summaryOf(name: string, { databaseBytes, files, fileBytes, manifest }: MadeBackup): string {
  const content = `the database, ${inMegabytes(databaseBytes)}, and ${countOf(files, 'file')}, ${inMegabytes(fileBytes)}`
  const absent = manifest.absent.length
  return (
    `${name} contains ${content}.` +
    (absent === 0
      ? ''
      : `\n${countOf(absent, 'file')} that the database names ${absent === 1 ? 'is' : 'are'} missing in the installation.`)
  )
}

const countOf = (count: number, what: string) => `${formatCount(count)} ${count === 1 ? what : `${what}s`}`

const inMegabytes = (bytes: number) => `${formatCount(Math.ceil(bytes / 1e6))} MB`

function nextSteps(settings: Settings, path: string, made: MadeBackup): string {
  return `${secretSteps(settings, made)}Try it:  ${commandLine(`backup verify ${path}`)}\nUse it:  ${commandLine(`backup restore ${path} --to /an/empty/folder`)}\n`
}

function secretSteps({ SECRET_KEY, DATA_DIR }: Settings, { manifest }: MadeBackup): string {
  if (manifest.secret !== null) return ''
  const secret = SECRET_KEY === '' ? `the file ${join(DATA_DIR, SECRET_FILE)}` : 'SECRET_KEY'
  return `Also keep ${secret}, in a different place: pending invitations need it, and anyone who has both can use them.\n`
}

async function list(given: string | undefined, json: boolean): Promise<void> {
  const settings = readSettings()
  const target = given ?? settings.BACKUP_DIR
  if (target === '') throw new CliError(`BACKUP_DIR is not set. Name a place: ${commandLine('backup list /backups')}`)
  const snapshots = await findSnapshots(await openPlace(target, settings))
  const rows = await Promise.all(
    snapshots.map(async (snapshot) => {
      const check = await findCheck(snapshot)
      const state = snapshot.isComplete ? stateOf(check) : 'unfinished'
      return { backup: snapshot.folder.split('/')[1] ?? '', created: toIsoTime(snapshot.createdAt), state }
    }),
  )
  print(rows, json)
}

function stateOf(check: Awaited<ReturnType<typeof findCheck>>): string {
  if (check === null) return 'not verified'
  return check.is_verified ? 'verified' : 'damaged'
}

/** Returns the keys that the operator gives: never as arguments, which other accounts of the machine can read. */
function keysOf(settings: Settings, { identity, passphraseFile }: KeyOptions): Keys {
  let known: Promise<string | null> | undefined
  const find = async () => {
    if (passphraseFile !== undefined) return (await readFile(passphraseFile, 'utf8')).replace(/\r?\n$/, '')
    if (settings.BACKUP_PASSPHRASE !== '') return settings.BACKUP_PASSPHRASE
    return process.stdin.isTTY ? askSecretly('Passphrase of the backup: ') : null
  }
  return { identityFiles: identity, passphrase: () => (known ??= find()) }
}

/** Asks on the terminal without showing the answer. */
async function askSecretly(question: string): Promise<string> {
  process.stderr.write(question)
  const output = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

async function verify(given: string | null, options: KeyOptions & { json: boolean }): Promise<void> {
  const settings = readSettings()
  const startedAt = performance.now()
  const backup = await locateBackup(given, settings)
  const work = await mkdtemp(join(tmpdir(), 'parley-verify-'))
  using progress = openProgress()
  let verification: Verification
  try {
    verification = await verifyBackup(backup, {
      ...{ decrypt: await openBackup(backup, keysOf(settings, options)), work },
      onProgress: (bytes, all) => progress.report('Bytes', bytes, all),
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const { manifest } = backup
  const seconds = Math.ceil((performance.now() - startedAt) / 1000)
  await saveResult(backup, verification)
  const isLast = given === null || (await isNewest(settings, manifest.created_at))
  if (isLast) await recordResult(settings, backup, verification)
  const name = `${backup.place.name}${backup.folder === '' ? '' : `/${backup.folder.slice(0, -1)}`}`
  const { faults, isRestored, files, bytes, rows, absent } = verification
  const facts = {
    backup: name,
    created_at: manifest.created_at,
    parley: manifest.parley,
    restored: isRestored,
    files,
    bytes,
    rows,
    seconds,
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ ...facts, absent, faults })}\n`)
  else if (faults.length === 0)
    process.stdout.write(
      `${name} is intact: made at ${toIsoTime(manifest.created_at)} by Parley ${manifest.parley}.\n` +
        `Read ${countOf(files, 'file')}, ${inMegabytes(bytes)} in all, in ${seconds} s.\n` +
        `${checkedText(verification, manifest.encryption)}\n` +
        (absent.length === 0 ? '' : `Missing before the backup was made: ${absent.join(', ')}\n`),
    )
  else process.stdout.write(`${name} is damaged:\n${faultLines(verification)}\n${isLast ? afterDamage(settings) : ''}`)
  if (faults.length > 0) process.exitCode = 1
}

const afterDamage = ({ BACKUP_DIR }: Settings) =>
  `Check the disk or the store of the backups, and make another: ${commandLine(BACKUP_DIR === '' ? 'backup FOLDER' : 'backup')}\n`

/** Saves what the verification of the newest backup found. After damage, an older backup is the newest verified one. */
async function recordResult(
  settings: Settings,
  { place, folder, manifest }: Awaited<ReturnType<typeof locateBackup>>,
  verification: Verification,
): Promise<void> {
  const { created_at: createdAt } = manifest
  if (isVerified(manifest, verification)) return recordTimes(settings, { lastVerifiedAt: createdAt, damagedAt: 0 })
  if (verification.faults.length === 0) return
  let lastVerifiedAt = 0
  for (const snapshot of folder === '' ? [] : await findSnapshots(place))
    if (snapshot.folder !== folder && (await findCheck(snapshot))?.is_verified) lastVerifiedAt = snapshot.createdAt
  await recordTimes(settings, { lastVerifiedAt, damagedAt: createdAt })
}

/** Returns whether the newest backup of the database of the settings was made at the time. */
async function isNewest(settings: Settings, createdAt: number): Promise<boolean> {
  if (!isPostgresUrl(settings.DATABASE_URL))
    return existsSync(settings.DATABASE_URL) && findLastBackupInFile(settings.DATABASE_URL) === createdAt
  try {
    await using storage = await openDatabase(settings, { serve: false })
    return (await findBackupState(storage.db)).lastBackupAt === createdAt
  } catch (error) {
    // A backup can be verified without its database.
    if (explainError(error) === null) throw error
    return false
  }
}

/** Saves the result beside scheduled backups, unless this account may only read them. */
async function saveResult(backup: Awaited<ReturnType<typeof locateBackup>>, result: Verification): Promise<void> {
  if (backup.folder === '' || (!result.isRestored && result.faults.length === 0)) return
  try {
    await saveCheck(backup, result, systemClock())
  } catch (error) {
    if (explainError(error) === null) throw error
  }
}

function checkedText({ isRestored, rows }: Verification, encryption: string): string {
  if (isRestored)
    return `Restored the database to a temporary place: ${countOf(rows, 'row')}, with all indexes, references and files.`
  const key = encryption === 'passphrase' ? 'BACKUP_PASSPHRASE or --passphrase-file' : '--identity FILE'
  return `It is encrypted, and no key was given: only the stored bytes were compared. Restore it for a check with ${key}.`
}

const faultLines = ({ faults }: Verification) => faults.map(({ name, problem }) => `  ${name} ${problem}`).join('\n')

type RestoreCommandOptions = KeyOptions & { json: boolean; to?: string; replace: boolean; allowDamaged: boolean }

async function restore(given: string | null, options: RestoreCommandOptions): Promise<void> {
  const { to } = options
  const settings = readSettings()
  if (to !== undefined)
    Object.assign(settings, { DATA_DIR: resolve(to), DATABASE_URL: join(resolve(to), 'parley.db'), FILES_URL: '' })
  requireOneDatabase(settings, 'backup restore')
  if (settings.DATABASE_URL === 'memory')
    throw new CliError('An in-memory database is lost when this command exits. Set DATABASE_URL, or add --to DIR.')
  const backup = await locateBackup(given, settings)
  using progress = openProgress()
  const restored = await restoreBackup({
    ...{ backup, settings, clock: systemClock(), keys: keysOf(settings, options) },
    name: given === null ? null : withoutCredentials(given),
    files: await openFiles(settings),
    hasLocalFiles: settings.FILES_URL === '',
    replaces: options.replace,
    allowsDamage: options.allowDamaged,
    copyToPostgres: (file, id) => copyToPostgres(settings, file, id),
    isPostgresEmpty: () => isEmpty(settings),
    onProgress: (what, done, all) => progress.report(what, done, all),
  })
  const { verification, aside, files, secret } = restored
  const { manifest } = backup
  if (options.json)
    return print(
      {
        data_dir: settings.DATA_DIR,
        created_at: manifest.created_at,
        rows: verification.rows,
        files,
        secret,
        moved_to: aside,
        faults: verification.faults.length,
      },
      true,
    )
  process.stdout.write(
    `Restored the backup of ${toIsoTime(manifest.created_at)}: ${countOf(verification.rows, 'row')} and ${countOf(files, 'file')}.\n` +
      (verification.faults.length === 0 ? '' : `Left out, because it is damaged:\n${faultLines(verification)}\n`) +
      (aside === null ? '' : `The data from before is in ${aside}. Delete it when you no longer need it.\n`) +
      `\n${stepsAfter(settings, restored, to)}`,
  )
}

async function isEmpty(settings: Settings): Promise<boolean> {
  await using storage = await openDatabase(settings, { serve: true })
  return !(await hasOrganization(storage.db))
}

/** The row of `installation` that names the restore that filled the database. */
const RESTORE = 'restore'

async function copyToPostgres(settings: Settings, file: string, id: string): Promise<void> {
  useDatabaseFile(file, (query) =>
    query('insert or replace into "installation" ("name", "value") values (?, ?)', RESTORE, id),
  )
  await using from = await openDatabase({ ...settings, DATABASE_URL: file }, { serve: true })
  await using to = await openDatabase(settings, { serve: true })
  if (await hasOrganization(to.db)) {
    const filledBy = await to.db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', RESTORE)
      .executeTakeFirst()
    // It was interrupted after the copy. The server completes the full-text index.
    if (filledBy?.value === id) return
    throw new CliError(HAS_ORGANIZATIONS)
  }
  await copyDatabaseAndIndex(from, to)
}

const SECRETS: Record<Restored['secret'], string> = {
  restored: '',
  present: '',
  missing: 'The backup has no secret. Copy the file `secret` of the old server to DATA_DIR, or set SECRET_KEY.\n',
  different:
    'The secret here is not that of the backup: pending invitations and secrets of sign-in providers cannot be used.\nReplace the file `secret` in DATA_DIR, or SECRET_KEY, by that of the old server.\n',
}

function stepsAfter({ DATA_DIR }: Settings, { secret }: Restored, to: string | undefined): string {
  const start = to === undefined ? 'Start the server' : `Start a server with DATA_DIR=${DATA_DIR}`
  return (
    `${SECRETS[secret]}${start}. People stay logged in, and their apps fetch everything anew.\n` +
    'Emails and webhooks that were waiting when the backup was made are sent again.\n'
  )
}
