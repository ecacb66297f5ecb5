import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readSettings, type Settings } from '../config.ts'
import { restartSearchIndex, updateSearchIndex } from '../messages/search/update-search-index.ts'
import { hasOrganization } from '../organizations/realms/queries.ts'
import { copyDatabase } from '../platform/storage/copy/copy-database.ts'
import { isPostgresUrl } from '../platform/storage/open-storage.ts'
import type { Storage } from '../platform/storage/storage.ts'
import { CliError, openDatabase, requireDatabase } from './cli-context.ts'
import { print } from './output.ts'
import { formatCount, openProgress } from './progress.ts'

export function addDatabaseCommands(program: Command): void {
  const database = program.command('database').description('the database itself')

  database
    .command('copy <url>')
    .description('copy all that is in the database into an empty one, such as postgres://…, while no server runs')
    .option('--json', 'print JSON', false)
    .action(async (url: string, { json }: { json: boolean }) => {
      const settings = readSettings()
      const startedAt = performance.now()
      const rows = await copyToEmpty(settings, url)
      const seconds = Math.ceil((performance.now() - startedAt) / 1000)
      if (json) print({ rows, seconds }, json)
      else process.stdout.write(`Copied ${formatCount(rows)} rows in ${seconds} s.\n\n${whatIsNext(settings, url)}`)
    })
}

/** Both are held, so that no server writes what would be missing in the copy. */
async function copyToEmpty(settings: Settings, url: string): Promise<number> {
  const { DATABASE_URL } = settings
  requireDatabase(DATABASE_URL)
  if (url === 'memory') throw new CliError('A database in memory would end with this command.')
  if (isSameDatabase(DATABASE_URL, url))
    throw new CliError('That is the database that DATABASE_URL names. Copy it to another one.')
  await using from = await openDatabase(settings, { serve: true })
  if (!(await hasOrganization(from.db)))
    throw new CliError(`There is no organization in ${nameOf(DATABASE_URL)}: nothing to copy.`)
  await using to = await openDatabase({ ...settings, DATABASE_URL: url }, { serve: true })
  if (await hasOrganization(to.db))
    throw new CliError(`There are organizations in ${nameOf(url)} already. Copy into an empty database.`)
  return await copyDatabaseAndIndex(from, to)
}

/** Makes `to` hold what `from` holds, with its messages found by their words; how many rows that is. */
export async function copyDatabaseAndIndex(from: Storage, to: Storage): Promise<number> {
  using progress = openProgress()
  const rows = await copyDatabase(from, to, {
    finish: restartSearchIndex,
    onProgress: (copied, all) => progress.report('Rows', copied, all),
  })
  await updateSearchIndex(to, (takenIn, newest) => progress.report('Words of messages', takenIn, newest))
  return rows
}

const isSameDatabase = (url: string, other: string) =>
  url === other || (!isPostgresUrl(url) && !isPostgresUrl(other) && resolve(url) === resolve(other))

/** What a database is called where people read it: without its password. */
function nameOf(url: string): string {
  if (!isPostgresUrl(url)) return url
  const { host, pathname } = new URL(url)
  return `the database ${pathname.slice(1)} at ${host || 'this machine'}`
}

function whatIsNext({ DATABASE_URL }: Settings, url: string): string {
  const avoid = isPostgresUrl(DATABASE_URL) ? 'See that no server is' : 'Rename it, so that no server is'
  return (
    `From now on start the server with a DATABASE_URL that names ${nameOf(url)}; all other settings stay.\n` +
    `${nameOf(DATABASE_URL)} still holds what it held. ${avoid} started on it by mistake.\n`
  )
}
