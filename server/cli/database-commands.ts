import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { isPostgresUrl, readSettings, type Settings } from '#config.ts'
import { restartSearchIndex, updateSearchIndex } from '#messages/search-index.ts'
import { hasOrganization } from '#realms/queries.ts'
import { copyDatabase } from '#storage/copy.ts'
import type { Storage } from '#storage/storage.ts'
import { CliError, openDatabase, requireDatabase, requireOneDatabase, UsageError } from './cli-context.ts'
import { formatCount, openProgress, print } from './output.ts'

export function addDatabaseCommands(program: Command): void {
  const database = program.command('database').description('manage the database')

  database
    .command('copy <url>')
    .description('copy the whole database into an empty one, such as postgres://…, while no server is running')
    .option('--json', 'print JSON', false)
    .action(async (url: string, { json }: { json: boolean }) => {
      const settings = readSettings()
      requireOneDatabase(settings, `database copy ${url}`)
      const startedAt = performance.now()
      const target = targetOf(url)
      const rows = await copyToEmpty(settings, target)
      const seconds = Math.ceil((performance.now() - startedAt) / 1000)
      if (json) print({ rows, seconds }, json)
      else process.stdout.write(`Copied ${formatCount(rows)} rows in ${seconds} s.\n\n${nextSteps(settings, target)}`)
    })
}

/** Returns the address of the new database: that of PostgreSQL, or the whole path of a file. */
function targetOf(given: string): string {
  if (given === 'memory')
    throw new CliError('An in-memory database is lost when this command exits. Choose a file or a PostgreSQL URL.')
  if (isPostgresUrl(given)) return given
  if (/^[a-z][a-z0-9+.-]+:/i.test(given))
    throw new UsageError(
      `Name a file, such as /var/lib/parley/parley.db, or postgres://…, not ${given.split(':')[0]}:…`,
    )
  const path = resolve(given)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a folder. Name the file of the new database, such as ${join(path, 'parley.db')}.`)
  return path
}

/** Both databases are locked, so that no server writes changes that the copy would miss. */
async function copyToEmpty(settings: Settings, url: string): Promise<number> {
  const { DATABASE_URL } = settings
  requireDatabase(settings)
  if (isSameDatabase(DATABASE_URL, url))
    throw new CliError('DATABASE_URL names the same database. Choose another target.')
  await using from = await openDatabase(settings, { serve: true })
  if (!(await hasOrganization(from.db)))
    throw new CliError(`${nameOf(DATABASE_URL)} contains no organization: nothing to copy.`)
  await using to = await openDatabase({ ...settings, DATABASE_URL: url }, { serve: true })
  if (await hasOrganization(to.db))
    throw new CliError(`${capitalized(nameOf(url))} already contains organizations. Copy into an empty database.`)
  return await copyDatabaseAndIndex(from, to)
}

/**
 * Replaces the content of `to` with the content of `from` and builds the full-text index; returns the number of rows.
 */
export async function copyDatabaseAndIndex(from: Storage, to: Storage): Promise<number> {
  using progress = openProgress()
  const rows = await copyDatabase(from, to, {
    finish: restartSearchIndex,
    onProgress: (copied, all) => progress.report('Rows', copied, all),
  })
  await updateSearchIndex(to, (takenIn, newest) => progress.report('Indexed messages', takenIn, newest))
  return rows
}

const isSameDatabase = (url: string, other: string) =>
  url === other || (!isPostgresUrl(url) && !isPostgresUrl(other) && resolve(url) === resolve(other))

/** Returns the name of a database for display, without its password. */
function nameOf(url: string): string {
  if (!isPostgresUrl(url)) return url
  const { host, pathname } = new URL(url)
  return `the database ${pathname.slice(1)} at ${host || 'this machine'}`
}

const capitalized = (text: string) => text.replace(/^the /, 'The ')

function nextSteps({ DATABASE_URL }: Settings, url: string): string {
  const avoid = isPostgresUrl(DATABASE_URL) ? 'Make sure that no server is' : 'Rename it, so that no server is'
  return (
    `Start the server with a DATABASE_URL for ${nameOf(url)} from now on; all other settings stay the same.\n` +
    `${capitalized(nameOf(DATABASE_URL))} is unchanged. ${avoid} started on it by mistake.\n`
  )
}
