import { mkdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { isPostgresUrl, readSettings, type Settings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { explainError } from '#lib/errors.ts'
import { backUpSqlite, type CopiedTotals, copyFiles, createAtomically, saveFactsInSqlite } from '#storage/copy.ts'
import { openFileStore } from '#storage/files.ts'
import { openFiles } from '#storage/open-files.ts'
import { FOLDER_ID } from '#storage/open-storage.ts'
import { saveBackupTimes, toRows } from '#transfer/backups.ts'
import { openDatabase, requireDatabase } from './cli-context.ts'
import { copyDatabaseAndIndex } from './database-commands.ts'
import { formatCount, openProgress, print } from './output.ts'

/** The file name of the database in every backup. The original may have another name. */
const DATABASE = 'parley.db'

type Backup = { folder: string; database_bytes: number; files: number; file_bytes: number }

export function addBackupCommand(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy the database and all uploaded files to a new folder; the server may be running')
    .option('--json', 'print JSON', false)
    .action(async (folder: string, { json }: { json: boolean }) => {
      const settings = readSettings()
      const startedAt = systemClock().now()
      const made = await backUp(settings, resolve(folder))
      await recordTimes(settings, { lastBackupAt: startedAt })
      if (json) print(made, json)
      else process.stdout.write(`${summaryOf(made)}\n\n${nextSteps(settings, made.folder)}`)
    })
}

/** Saves the times in the database for those who watch the age of backups. The backup is complete even if this fails. */
async function recordTimes(settings: Settings, times: Parameters<typeof saveBackupTimes>[1]): Promise<void> {
  try {
    if (!isPostgresUrl(settings.DATABASE_URL)) return saveFactsInSqlite(settings.DATABASE_URL, toRows(times))
    await using storage = await openDatabase(settings, { serve: false })
    await storage.transaction((tx) => saveBackupTimes(tx, times))
  } catch (error) {
    const reason = explainError(error)
    if (reason === null) throw error
    process.stderr.write(`The backup is complete, but its time could not be saved for the health page: ${reason}\n`)
  }
}

/**
 * Copies the database first, then the files. All files that the copied database refers to are on the disk by then, and
 * unused files stay there for weeks.
 */
async function backUp(settings: Settings, folder: string): Promise<Backup> {
  requireDatabase(settings.DATABASE_URL)
  return await createAtomically(folder, 'a backup', async (unfinished) => {
    const path = join(unfinished, 'backup')
    await mkdir(path, { mode: 0o700 })
    await backUpDatabase(settings, join(path, DATABASE))
    const { files, bytes } = await backUpFiles(settings, path)
    const { size } = await stat(join(path, DATABASE))
    return { path, result: { folder, database_bytes: size, files, file_bytes: bytes } }
  })
}

/**
 * Copies SQLite and PostgreSQL databases to a single SQLite file, so that a server can start on the backup without
 * PostgreSQL.
 */
async function backUpDatabase(settings: Settings, file: string): Promise<void> {
  if (!isPostgresUrl(settings.DATABASE_URL)) return backUpSqlite(settings.DATABASE_URL, file)
  {
    await using from = await openDatabase(settings, { serve: false })
    await using to = await openDatabase({ ...settings, DATABASE_URL: file }, { serve: true })
    await copyDatabaseAndIndex(from, to)
  }
  await rm(`${file}.lock`)
}

async function backUpFiles(settings: Settings, folder: string): Promise<CopiedTotals> {
  const [from, to] = [await openFiles(settings), openFileStore(folder)]
  const id = await from.read(FOLDER_ID)
  if (id !== null) await to.save(FOLDER_ID, id)
  using progress = openProgress()
  return await copyFiles(from, to, ({ files }) => progress.report('Files', files))
}

function summaryOf({ folder, database_bytes, files, file_bytes }: Backup): string {
  const content = `the database, ${inMegabytes(database_bytes)}, and ${formatCount(files)} ${files === 1 ? 'file' : 'files'}, ${inMegabytes(file_bytes)}`
  return `${folder} contains ${content}.`
}

const inMegabytes = (bytes: number) => `${formatCount(Math.ceil(bytes / 1e6))} MB`

function nextSteps({ SECRET_KEY, DATA_DIR }: Settings, folder: string): string {
  const secret = SECRET_KEY === '' ? `the file ${join(DATA_DIR, 'secret')}` : 'SECRET_KEY'
  return (
    `Also keep ${secret}, in a different place: pending invitations need it, and anyone who has both can use them.\n` +
    `To continue from this backup, start a server with DATA_DIR=${folder} on a copy of the folder.\n`
  )
}
