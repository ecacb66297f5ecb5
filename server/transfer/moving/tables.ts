import { CompiledQuery } from 'kysely'
import { OperatorError } from '#lib/errors.ts'
import type { Db } from '#storage/storage.ts'
import type { TableName } from '#storage/tables.ts'

/** The tables of the installation, which have no rows of organizations, and the counters, which are set apart. */
const INSTALLATION: ReadonlySet<string> = new Set([
  ...['counters', 'installation', 'migrations', 'nodeLeader', 'nodeMessages', 'nodes'],
  ...['organizationDatabases', 'organizationMoves', 'setupLinks', 'usedChallenges'],
])

/** Values for some of the tables. */
type ByTable<Value> = ReadonlyMap<string, Value>

const byTable = <Value>(values: Partial<Readonly<Record<TableName, Value>>>): ByTable<Value> =>
  new Map(Object.entries(values) as [string, Value][])

/**
 * When the rows of a table are copied. `first`: before the pause, with the changes since. `held`: in the pause, because
 * jobs act on the rows wherever they are; during the pause they are in neither database. `last`: in the pause, by
 * finish-move.ts. `never`: clients register their event queues again.
 */
type Turn = 'first' | 'held' | 'last' | 'never'

const TURNS: ByTable<Turn> = byTable({
  scheduledMessages: 'held',
  missedMessages: 'held',
  pushNotices: 'held',
  mobilePushes: 'held',
  webhookCalls: 'held',
  linkPreviewRequests: 'held',
  hiddenPresences: 'held',
  erasures: 'held',
  dataExports: 'held',
  realms: 'last',
  realmRedirects: 'last',
  messageDays: 'last',
  events: 'never',
  audiences: 'never',
  eventQueues: 'never',
})

/** The columns that make jobs act on a row. They are null until the last step, in which their rows are `held`. */
const ACTING: ByTable<readonly string[]> = byTable({
  mails: ['dueAt'],
  userStatuses: ['endsAt'],
  attachments: ['unclaimedAt'],
  channels: ['messageRetentionDays'],
})

/**
 * The effect of a write of rows of the organization while it may not write. `refuse`: the statement fails. `skip`: the
 * row stays as it is, because the statement also writes rows of other organizations, or nothing depends on it.
 */
type Fencing = { paused: 'refuse' | 'skip'; moved: 'refuse' | 'skip' }

const FENCINGS: ByTable<Fencing> = byTable({
  presences: { paused: 'skip', moved: 'skip' },
  presenceCeilings: { paused: 'skip', moved: 'skip' },
  activityIntervals: { paused: 'skip', moved: 'skip' },
  apiKeyUses: { paused: 'skip', moved: 'skip' },
  messageWords: { paused: 'skip', moved: 'skip' },
  eventQueues: { paused: 'skip', moved: 'skip' },
  // The counter of counted messages must not pass messages of the organization before they are moved.
  messageDays: { paused: 'refuse', moved: 'skip' },
})

/** A column that names the row of another table to which the row belongs; '' is the organization itself. */
type Owner = { column: string; parent: string }

/** The tables that decide to which organization a row belongs, before others to which it refers as well. */
const PARENTS = [
  ...['messages', 'conversations', 'channels', 'userGroups', 'mails', 'apiKeys', 'sessions', 'profileFields'],
  'users',
]

/**
 * The owners that no reference of the table shows. Bots of the system organization have rows in the conversations of
 * others.
 */
const OWNERS: ByTable<readonly Owner[]> = byTable({
  realms: [{ column: 'id', parent: '' }],
  userMessages: [{ column: 'messageId', parent: 'messages' }],
  readMarks: [
    { column: 'channelId', parent: 'channels' },
    { column: 'conversationId', parent: 'conversations' },
  ],
  activityIntervals: [{ column: 'userId', parent: 'users' }],
})

export type MovedTable = {
  readonly name: string
  readonly turn: Turn
  readonly fencing: Fencing
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** The types of the columns of the key. */
  readonly keyTypes: readonly string[]
  /** The columns of other unique indexes that are text. */
  readonly uniqueTexts: readonly string[]
  readonly acting: readonly string[]
  /** The columns that refer to the table itself. */
  readonly own: readonly string[]
  /** False if the rows are short. */
  readonly hasText: boolean
  /** Returns the condition that a row belongs to the organization, to find all of its rows. */
  isOf(realmId: number): string
  /** Returns the SQL of the organization of a row; null if the row to which it belongs does not exist. */
  realmOf(row: string): string
  /** The table and the column by whose values the rows are deleted in batches; null if they are few. */
  readonly pages: { readonly table: string; readonly id: string; readonly column: string } | null
}

type CatalogRow = {
  name: string
  columns: { name: string; type: string }[]
  key: string[]
  uniques: string[]
  references: Owner[]
}

/**
 * Returns the tables with rows of organizations, by one rule over their columns and references, each after the tables
 * to which it refers. Throws if it does not know where the rows of a table belong.
 */
export async function readTables(db: Db): Promise<readonly MovedTable[]> {
  const { rows } = await db.executeQuery<CatalogRow>(CompiledQuery.raw(CATALOG))
  const found = rows.filter(({ name }) => !INSTALLATION.has(name) && !isMoveTable(name))
  const byName = new Map(found.map((row) => [row.name, row]))
  const ownersOf = (name: string) => findOwners(byName.get(name))
  const tables = found.map((row) => toTable(row, ownersOf))
  return inOrder(tables, ({ name }) => [...(byName.get(name)?.references ?? []), ...ownersOf(name)])
}

const INTEGER = 'bigint'

function toTable(row: CatalogRow, ownersOf: (name: string) => readonly Owner[]): MovedTable {
  const { name, key } = row
  const types = new Map(row.columns.map((column) => [column.name, column.type]))
  const owners = ownersOf(name)
  const [owner] = owners
  const lastOfKey = key.at(-1) ?? ''
  return {
    name,
    turn: TURNS.get(name) ?? 'first',
    fencing: FENCINGS.get(name) ?? { paused: 'refuse', moved: 'refuse' },
    columns: row.columns.map((column) => column.name),
    key,
    keyTypes: key.map((column) => types.get(column) ?? ''),
    uniqueTexts: row.uniques.filter((column) => types.get(column) === 'text' && !key.includes(column)),
    acting: ACTING.get(name) ?? [],
    own: row.references.filter(({ parent }) => parent === name).map(({ column }) => column),
    hasText: [...types.values()].some((type) => type === 'text' || type === 'tsvector'),
    isOf: (realmId) => isOf(owners, ownersOf, realmId),
    realmOf: (alias) => realmOf(owners, ownersOf, alias),
    pages: pagesOf(name, { owners, owner, column: types.get(lastOfKey) === INTEGER ? lastOfKey : null }),
  }
}

function pagesOf(
  name: string,
  { owners, owner, column }: { owners: readonly Owner[]; owner: Owner | undefined; column: string | null },
): MovedTable['pages'] {
  if (owner === undefined || owners.length > 1 || owner.column === 'id') return null
  if (owner.parent !== '') return { table: owner.parent, id: 'id', column: owner.column }
  return column === null || column === owner.column ? null : { table: name, id: column, column }
}

function findOwners(row: CatalogRow | undefined): readonly Owner[] {
  if (row === undefined) return []
  const { name, columns, references } = row
  const known = OWNERS.get(name)
  if (known !== undefined) return known
  if (columns.some((column) => column.name === 'realmId')) return [{ column: 'realmId', parent: '' }]
  const owner = PARENTS.flatMap((parent) => references.find((one) => one.parent === parent) ?? [])[0]
  if (owner === undefined)
    throw new OperatorError(
      `It is unknown to which organization the rows of the table ${name} belong, so no organization can be moved.`,
      { isTemporary: false },
    )
  return [owner]
}

function isOf(owners: readonly Owner[], ownersOf: (name: string) => readonly Owner[], realmId: number): string {
  const conditions = owners.map(({ column, parent }) =>
    parent === ''
      ? `"${column}" = ${realmId}`
      : `"${column}" in (select "id" from "${parent}" where ${isOf(ownersOf(parent), ownersOf, realmId)})`,
  )
  return conditions.length === 1 ? conditions.join() : `(${conditions.join(' or ')})`
}

function realmOf(owners: readonly Owner[], ownersOf: (name: string) => readonly Owner[], row: string): string {
  const realms = owners.map(({ column, parent }) => {
    if (parent === '') return `${row}."${column}"`
    const alias = `"its ${parent}"`
    return `(select ${realmOf(ownersOf(parent), ownersOf, alias)} from "${parent}" ${alias} where ${alias}."id" = ${row}."${column}")`
  })
  return realms.length === 1 ? realms.join() : `coalesce(${realms.join(', ')})`
}

/** Returns the tables, each after those to which its rows refer or belong. */
function inOrder(
  tables: readonly MovedTable[],
  parentsOf: (table: MovedTable) => readonly Owner[],
): readonly MovedTable[] {
  const named = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<MovedTable>()
  function add(table: MovedTable): void {
    if (ordered.has(table)) return
    for (const { parent } of parentsOf(table)) {
      const other = named.get(parent)
      if (other !== undefined && other !== table) add(other)
    }
    ordered.add(table)
  }
  for (const table of tables) add(table)
  return [...ordered]
}

const MOVE_TABLES = 'move_'

const isMoveTable = (name: string) => name.startsWith(MOVE_TABLES)

/** The names that a move creates in the database that the organization leaves. */
export const moveNames = (realmId: number) => ({
  /** The keys of changed rows. */
  changes: `"${MOVE_TABLES}${realmId}_changes"`,
  /** Rows on which jobs would act. */
  held: `"${MOVE_TABLES}${realmId}_held"`,
  trigger: `"${MOVE_TABLES}${realmId}"`,
  functionOf: (table: string) => `"${MOVE_TABLES}${realmId}_${table}"`,
})

const CATALOG = `
  select "relname"::text as "name",
    (select json_agg(json_build_object('name', "attname", 'type', "atttypid"::regtype::text) order by "attnum")
      from pg_attribute where "attrelid" = pg_class."oid" and "attnum" > 0 and not "attisdropped") as "columns",
    (select coalesce(json_agg("attname" order by array_position("indkey"::int[], "attnum"::int)), '[]')
      from pg_index join pg_attribute on "attrelid" = "indrelid" and "attnum" = any("indkey")
      where "indrelid" = pg_class."oid" and "indisprimary") as "key",
    (select coalesce(json_agg(distinct "attname"), '[]')
      from pg_index join pg_attribute on "attrelid" = "indrelid" and "attnum" = any("indkey")
      where "indrelid" = pg_class."oid" and "indisunique" and not "indisprimary") as "uniques",
    (select coalesce(json_agg(json_build_object('column', "attname", 'parent', "parent"."relname") order by "attnum"), '[]')
      from pg_constraint join pg_attribute on "attrelid" = "conrelid" and "attnum" = "conkey"[1]
        join pg_class as "parent" on "parent"."oid" = "confrelid"
      where "conrelid" = pg_class."oid" and "contype" = 'f') as "references"
  from pg_class
  where "relnamespace" = current_schema()::regnamespace and "relkind" in ('r', 'p')
  order by "relname" collate "C"`
