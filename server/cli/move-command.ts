import type { Command } from 'commander'
import { readSettings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { findPlace, savePlaces } from '#realms/places.ts'
import { findRealmBySubdomain, findRedirects } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { moveOrganization } from '#transfer/move-organization.ts'
import { CliError, type NumberedDatabase, openDatabases, UsageError } from './cli-context.ts'
import { jsonOption, openProgress, orgOption, print } from './output.ts'

/** Adds the command that moves an organization to another database of DATABASE_URLS. */
export function addMoveCommand(organizations: Command): void {
  organizations
    .command('move <database>')
    .description('move an organization to another database of DATABASE_URLS, by number or name, while people use it')
    .addOption(orgOption())
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  parley org move 2 --org acme')
    .action(move)
}

async function move(wanted: string, { org, json }: { org: string; json: boolean }): Promise<void> {
  const settings = readSettings()
  if (settings.DATABASE_URLS === '')
    throw new UsageError(
      'Organizations move between the databases that DATABASE_URLS names, and it is not set. Read docs/moving.md.',
    )
  await using opened = new AsyncDisposableStack()
  const databases = await openDatabases(settings, opened)
  const [first] = databases
  const target = databases.find(({ number, name }) => String(number) === wanted || name === wanted)
  const source = await findSource(databases, org)
  if (target === undefined)
    throw new UsageError(`There is no database ${wanted}. These can be reached: ${listDatabases(databases)}.`)
  if (first === undefined || source === null) throw new CliError(await explainAbsence(databases, org))
  const { database: from, realm } = source
  if (from === target) throw new CliError(`${realm.name} is in database ${target.number} already.`)

  const subdomains = [org, ...(await findRedirects(from.storage.db, realm.id))]
  const save = (number: number, movingSince: number | null) =>
    first.storage.transaction((tx) => savePlaces(tx, subdomains, { database: number, movingSince }))
  const clock = systemClock()
  using progress = openProgress()
  const { rows, pausedSeconds } = await moveOrganization({
    ...{ from: from.storage, to: target.storage, realmId: realm.id, clock },
    signal: interruption(opened),
    onProgress: ({ step, table, rows }) => progress.report(table === '' ? step : `${step} ${table}`, rows),
    pause: () => save(from.number, clock.now()),
    switchOver: () => save(target.number, null),
    resume: () => save(from.number, null),
  })
  print(
    {
      organization: realm.name,
      database: `${target.number} (${target.name})`,
      rows,
      paused_seconds: Math.round(pausedSeconds * 10) / 10,
    },
    json,
  )
}

/** Returns a signal that Ctrl+C aborts. The move then ends as soon as it can, and can be repeated. */
function interruption(opened: AsyncDisposableStack): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, abort)
    opened.defer(() => void process.off(name, abort))
  }
  return controller.signal
}

/**
 * Returns the organization and the database that it is to leave, which has old rows of it if a move was interrupted
 * before all were deleted.
 */
async function findSource(
  databases: readonly NumberedDatabase[],
  org: string,
): Promise<{ database: NumberedDatabase; realm: Realm } | null> {
  const place = await findPlace(databases[0]!.storage.db, org)
  const home = databases.find(({ number }) => number === (place?.database ?? 0))
  const realm = home === undefined ? null : await findRealmBySubdomain(home.storage.db, org)
  if (home === undefined || realm === null) return null
  for (const database of databases) {
    const move = database.storage.db.selectFrom('organizationMoves').select('state').where('realmId', '=', realm.id)
    if (database !== home && (await move.executeTakeFirst()) !== undefined) return { database, realm }
  }
  return { database: home, realm }
}

async function explainAbsence(databases: readonly NumberedDatabase[], org: string): Promise<string> {
  const place = databases[0] === undefined ? null : await findPlace(databases[0].storage.db, org)
  const which = org === '' ? 'The root organization' : `The organization '${org}'`
  return place === null || databases.some(({ number }) => number === place.database)
    ? `${which} does not exist. \`parley org list\` shows all.`
    : `${which} is in database ${place.database}, which cannot be reached.`
}

const listDatabases = (databases: readonly NumberedDatabase[]) =>
  databases.map(({ number, name }) => `${number} (${name})`).join(', ')
