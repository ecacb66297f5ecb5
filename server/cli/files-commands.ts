import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { listOf, readSettings, type Settings } from '#config.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { pathIdOf } from '#messages/attachments.ts'
import { findFilesWithoutRow, findUploadsWithoutFile } from '#messages/jobs.ts'
import { copyFiles } from '#storage/copy.ts'
import { backedUpFolders, DATA_EXPORTS, type FileStore } from '#storage/files.ts'
import { openFiles, openFilesAt } from '#storage/open-files.ts'
import { FOLDER_ID } from '#storage/open-storage.ts'
import { CliError, openCliContext, openDatabases, UsageError } from './cli-context.ts'
import { formatCount, jsonOption, openProgress, print } from './output.ts'

const COPY_HELP = `
FROM and TO are folders, s3:// addresses, or DATA_DIR and FILES_URL for the values of these settings. The server may be
running. To move without a pause: copy, change FILES_URL and restart the server, copy again. A copy that was interrupted
continues where it was.

Examples:
  parley files copy DATA_DIR 's3://my-bucket/parley?endpoint=https://storage.example.com&region=REGION'
  parley files copy FILES_URL DATA_DIR
`

export function addFilesCommands(program: Command): void {
  const files = program.command('files').description('copy uploaded files to another store, and compare them')

  files
    .command('copy <from> <to>')
    .description('copy all files that the other store does not have, to a folder or to S3')
    .option('--dry-run', 'only count the files', false)
    .option('--checksum', 'read files that both have, and copy those that differ', false)
    .addOption(jsonOption())
    .addHelpText('after', COPY_HELP)
    .action(copy)

  files
    .command('check')
    .description('list uploads whose file is missing, and files that the database does not know')
    .addOption(jsonOption())
    .action(check)
}

type CopyOptions = { dryRun: boolean; checksum: boolean; json: boolean }

async function copy(given: string, target: string, { dryRun, checksum, json }: CopyOptions): Promise<void> {
  const settings = readSettings()
  const [from, to] = [locationOf(given, settings), locationOf(target, settings)]
  if (from === to) throw new UsageError('FROM and TO are the same.')
  if (!isS3Url(from) && !existsSync(from)) throw new CliError(`There is no folder ${from}.`)
  const [source, destination] = [await openFilesAt(from, settings), await openFilesAt(to, settings)]
  for (const store of [source, destination]) await store.check?.()
  const id = await requireSameDatabase(source, destination, to)

  using progress = openProgress()
  let skipped = 0
  const totals = { files: 0, bytes: 0 }
  const isSkipped = async (name: string, size: number) => {
    const isThere =
      (await destination.findSize(name)) === size &&
      (!checksum || (await haveSameBytes(source, destination, name, size)))
    if (isThere) skipped += 1
    else {
      totals.files += 1
      totals.bytes += size
    }
    progress.report('Files', skipped + totals.files)
    return isThere || dryRun
  }
  await copyFiles(source, destination, () => {}, { folders: [...backedUpFolders, DATA_EXPORTS], isSkipped })
  if (totals.files + skipped === 0)
    throw new CliError(`There are no files in ${nameOf(from)}. If the installation is new, there is nothing to copy.`)
  if (id !== null && !dryRun) await destination.save(FOLDER_ID, id)

  const result = { from: nameOf(from), to: nameOf(to), copied: totals.files, bytes: totals.bytes, skipped }
  if (json) return print({ ...result, dry_run: dryRun }, json)
  const size = `${formatCount(Math.ceil(totals.bytes / 1e6))} MB`
  const verb = dryRun ? 'Would copy' : 'Copied'
  process.stdout.write(
    `${verb} ${formatCount(totals.files)} ${totals.files === 1 ? 'file' : 'files'}, ${size}, to ${nameOf(to)}. It already had ${formatCount(skipped)}.\n`,
  )
  if (!dryRun && to !== currentLocation(settings)) process.stdout.write(`\n${nextSteps(to)}`)
}

/** Returns the folder or the address that the operator named. */
function locationOf(given: string, settings: Settings): string {
  if (given === 'FILES_URL' && settings.FILES_URL === '') throw new UsageError('FILES_URL is not set.')
  const location = given === 'FILES_URL' ? settings.FILES_URL : given === 'DATA_DIR' ? settings.DATA_DIR : given
  if (isS3Url(location)) return location
  if (/^[a-z][a-z0-9+.-]*:/i.test(location))
    throw new UsageError(`${location} is neither a folder nor an s3:// address.`)
  return resolve(location)
}

const currentLocation = ({ FILES_URL, DATA_DIR }: Settings) => FILES_URL || resolve(DATA_DIR)

const nameOf = (location: string) => (isS3Url(location) ? withoutKeys(location) : location)

const nextSteps = (to: string) =>
  `Next, ${isS3Url(to) ? 'set FILES_URL to this address' : `unset FILES_URL, with DATA_DIR=${to}`}, restart the server, and run the same command again\n` +
  'for the files that were added meanwhile.\n'

/** Refuses to mix the files of two databases. Returns the content of the object that names the database. */
async function requireSameDatabase(from: FileStore, to: FileStore, target: string): Promise<Buffer | null> {
  const [id, other] = [await from.read(FOLDER_ID), await to.read(FOLDER_ID)]
  if (id !== null && other !== null && id.toString().trim() !== other.toString().trim())
    throw new CliError(`${nameOf(target)} contains the files of another database. Choose another folder or prefix.`)
  return id
}

async function haveSameBytes(from: FileStore, to: FileStore, name: string, size: number): Promise<boolean> {
  const [one, other] = await Promise.all([from, to].map((store) => digestOf(store, name, size)))
  return one === other
}

async function digestOf(store: FileStore, name: string, size: number): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of store.stream(name, { start: 0, end: size })) hash.update(piece as Buffer)
  return hash.digest('hex')
}

async function check({ json }: { json: boolean }): Promise<void> {
  await using context = await openCliContext()
  const { storage, settings } = context
  await using opened = new AsyncDisposableStack()
  const databases =
    settings.DATABASE_URLS === '' ? [storage] : (await openDatabases(settings, opened)).map((each) => each.storage)
  const files = await openFiles(settings)
  await files.check?.()
  const rows: { problem: string; name: string; uploaded_as: string }[] = []
  for (const { db } of databases)
    for await (const upload of findUploadsWithoutFile(db, files))
      rows.push({ problem: 'no file', name: pathIdOf(upload), uploaded_as: upload.name })
  const missing = rows.length
  let unknown = null as Set<string> | null
  for (const { db } of databases) {
    const here = new Set<string>()
    for await (const name of findFilesWithoutRow(db, files)) here.add(name)
    unknown = unknown === null ? here : unknown.intersection(here)
  }
  const areAll = databases.length >= listOf(settings.DATABASE_URLS).length
  if (areAll) for (const name of unknown ?? []) rows.push({ problem: 'unknown', name, uploaded_as: '' })
  else process.stderr.write('Unknown files are not listed: they may be those of the databases that are left out.\n')
  if (rows.length > 0 || json) print(rows, json)
  else process.stdout.write('Every upload has its file, and the database knows every file.\n')
  if (missing > 0) throw new CliError(`${formatCount(missing)} uploads have no file. Restore them from a backup.`)
}
