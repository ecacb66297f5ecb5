import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { listOf, readSettings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { commandLine } from '#lib/process.ts'
import { recordAudit } from '#people/audit.ts'
import { findPlace, savePlaces } from '#realms/places.ts'
import { findRealmBySubdomain, findRedirects } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { moveOrganization } from '#transfer/move-organization.ts'
import { CliError, type NumberedDatabase, openDatabases, UsageError } from './cli-context.ts'
import { jsonOption, openProgress, orgOption, print } from './output.ts'

/** Milliseconds within which every node reads a change of the directory, or notices that it may have missed one. */
const LEARNING_TIME = 5000

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
  const { home, left, realm } = source
  const from = left ?? home
  if (left !== null && target !== home)
    throw new CliError(
      `${realm.name} has moved to database ${home.number}, and some of its rows are left in database ${left.number}. ` +
        `Delete them first: ${moveCommand(home, org)}`,
    )
  if (from === target) throw new CliError(`${realm.name} is in database ${target.number} already.`)
  if (await isLeaving(from, realm))
    await requireSameTarget(databases, {
      target,
      realm,
      areAll: databases.length === listOf(settings.DATABASE_URLS).length,
    })

  const save = async (number: number, movingSince: number | null) => {
    // The organization may have been renamed while it was copied.
    const subdomains = new Set([org, ...(await findSubdomains(from.storage.db, realm.id))])
    await first.storage.transaction((tx) => savePlaces(tx, [...subdomains], { database: number, movingSince }))
  }
  const clock = systemClock()
  let pausedSince = clock.now()
  let pausedSeconds = 0
  const signal = interruption(opened)
  using progress = openProgress()
  const { rows } = await moveOrganization({
    ...{ from: from.storage, to: target.storage, realmId: realm.id, clock },
    signal,
    onProgress: ({ step, table, rows }) => progress.report(table === '' ? step : `${step} ${table}`, rows),
    pause() {
      pausedSince = clock.now()
      return save(from.number, pausedSince)
    },
    async switchOver() {
      await save(target.number, null)
      pausedSeconds = clock.now() - pausedSince
      const change = { setting: 'database', from: from.number, to: target.number }
      await target.storage.transaction((tx) => recordAudit(tx, realm.id, 'organization_changed', change))
      // Until all nodes know the directory, some refuse the organization because its old rows are there.
      await sleep(LEARNING_TIME)
    },
    resume: () => save(from.number, null),
  }).catch((error) => {
    if (error !== signal.reason) throw error
    throw new CliError(`The move was interrupted. To go on, repeat: ${moveCommand(target, org)}`)
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

/** Returns a signal that Ctrl+C and the end of the terminal abort. The move then ends as soon as it can, and can be repeated. */
function interruption(opened: AsyncDisposableStack): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, abort)
    opened.defer(() => void process.off(name, abort))
  }
  return controller.signal
}

type Source = {
  /** The database to which the directory leads. */
  home: NumberedDatabase
  /** The former database, if a move was interrupted before all rows there were deleted. */
  left: NumberedDatabase | null
  realm: Realm
}

async function findSource(databases: readonly NumberedDatabase[], org: string): Promise<Source | null> {
  const place = await findPlace(databases[0]!.storage.db, org)
  const home = databases.find(({ number }) => number === (place?.database ?? 0))
  const realm = home === undefined ? null : await findRealmBySubdomain(home.storage.db, org)
  if (home === undefined || realm === null) return null
  for (const left of databases) if (left !== home && (await isLeaving(left, realm))) return { home, left, realm }
  return { home, left: null, realm }
}

async function isLeaving({ storage: { db } }: NumberedDatabase, { id }: Realm): Promise<boolean> {
  const move = db.selectFrom('organizationMoves').select('state').where('realmId', '=', id)
  return (await move.executeTakeFirst()) !== undefined
}

/**
 * Refuses another target than that of an earlier attempt, which may have the organization already: users may even have
 * changed it there. `areAll` is false if some databases cannot be reached.
 */
async function requireSameTarget(
  databases: readonly NumberedDatabase[],
  { target, realm, areAll }: { target: NumberedDatabase; realm: Realm; areAll: boolean },
): Promise<void> {
  const copies: NumberedDatabase[] = []
  for (const database of databases) {
    const copy = database.storage.db.selectFrom('realms').select('id').where('id', '=', realm.id)
    const isCopy = (await copy.executeTakeFirst()) !== undefined && !(await isLeaving(database, realm))
    if (isCopy) copies.push(database)
  }
  if (copies.includes(target) || (copies.length === 0 && areAll)) return
  const [copy] = copies
  throw new CliError(
    copy === undefined
      ? `An earlier attempt to move ${realm.name} was interrupted, and the databases that cannot be reached may have it. Repeat the command when they can be reached.`
      : `An earlier attempt to move ${realm.name} to database ${copy.number} was interrupted. Complete it first: ${moveCommand(copy, realm.subdomain)}`,
  )
}

const moveCommand = ({ number }: NumberedDatabase, org: string) =>
  commandLine(`org move ${number}${org === '' ? '' : ` --org ${org}`}`)

/** Returns the subdomain of the organization and those that redirect to it. */
async function findSubdomains(db: Db, realmId: number): Promise<string[]> {
  const row = await db.selectFrom('realms').select('subdomain').where('id', '=', realmId).executeTakeFirst()
  return [...(row === undefined ? [] : [row.subdomain]), ...(await findRedirects(db, realmId))]
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
