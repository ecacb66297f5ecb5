import { CompiledQuery } from 'kysely'
import type { Db, Storage } from '#storage/storage.ts'

// Organizations with rows in every table of the database, made from the catalog, so that a new table is not forgotten.

const run = async <Row>(db: Db, statement: string, values: readonly unknown[] = []) =>
  (await db.executeQuery<Row>(CompiledQuery.raw(statement, [...values]))).rows

type Column = { name: string; type: string; isNullable: boolean; isAllocated: boolean }
type Shape = { name: string; columns: Column[]; references: { column: string; parent: string }[] }

/** The tables to which columns refer that have no reference in the database. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^(user|mutedUser|sender|bot|owner|actor|creator|author|inviter|requester)Id$/, 'users'],
  [/^(messageId|rowid|reminderOf)$/, 'messages'],
  [/^channelId$/, 'channels'],
  [/^conversationId$/, 'conversations'],
  [/^invitationId$/, 'invitations'],
]

/** Values of texts that a careless copy would change. */
const TEXTS = ['a "quoted" \\ text,\nwith {braces} and ’ 😀', 'null', '']

/**
 * Inserts `count` rows of the organization into each of the tables, which must be in an order in which each follows
 * those to which it refers. A user and a message of a conversation belong to bots of the system organization.
 */
export async function fillTables(
  { db }: Storage,
  tables: readonly string[],
  { realmId, subdomain, count }: { realmId: number; subdomain: string; count: number },
): Promise<void> {
  const ids = new Map<string, number[]>()
  for (const { name, columns, references } of await findShapes(db, tables)) {
    if (name === 'realms') {
      await run(db, REALM, [realmId, subdomain])
      continue
    }
    const parentOf = (column: string) =>
      references.find((one) => one.column === column)?.parent ?? MEANINGS.find(([sign]) => sign.test(column))?.[1]
    const own: number[] = []
    for (let at = 0; at < count; at++) {
      const toValue = ({ name: column, type, isNullable }: Column): unknown => {
        if (column === 'realmId') return realmId
        if (column === 'id' && name === 'messages') return realmId * 1000 + at
        if (name === 'readMarks' && column === (at % 2 === 0 ? 'channelId' : 'conversationId')) return 0
        if (name === 'messages' && column === (at % 2 === 0 ? 'channelId' : 'conversationId')) return null
        const parent = parentOf(column)
        // The last row refers to the next row of its own table, which is inserted before.
        const known = parent === name ? own : ids.get(parent ?? '')
        if (parent === 'realms') return realmId
        if (known !== undefined) return known.length === 0 ? null : known[at % known.length]
        if (isNullable && at % 3 === 2) return null
        if (type === 'bigint' || type === 'integer') return at
        if (type === 'double precision') return 1893837600.123456 + at / 7
        if (type === 'tsvector') return `'word${at}':1,7 'o''clock':2`
        return `${TEXTS[at % TEXTS.length]}${name} ${realmId} ${at}`
      }
      const given = columns.filter(({ isAllocated }) => !isAllocated)
      const names = given.map(({ name: column }) => `"${column}"`).join(', ')
      const marks = given.map(({ type }, place) => `$${place + 1}::${type}`).join(', ')
      const hasId = columns.some(({ name: column, type }) => column === 'id' && type === 'bigint')
      const returning = hasId ? 'returning "id"' : ''
      const rows = await run<{ id?: number }>(
        db,
        `insert into "${name}" (${names}) values (${marks}) on conflict do nothing ${returning}`,
        given.map(toValue),
      )
      if (typeof rows[0]?.id === 'number') own.push(rows[0].id)
    }
    if (own.length > 0) ids.set(name, own)
  }
  await run(db, OWN_BOT, [realmId])
  for (const statement of WITH_SYSTEM_BOT) await run(db, statement, [realmId])
}

const REALM = `
  insert into "realms" ("id", "subdomain", "name", "createdAt", "settings", "retentionFrom")
  values ($1, $2, 'Ärzte & "Co"', 1893837600.5, '{"message_retention_days":30}', 3)`

/** Gives a user an owner with a higher id. */
const OWN_BOT = `
  update "users" set "botOwnerId" = (select max("id") from "users" where "realmId" = $1)
  where "id" = (select min("id") from "users" where "realmId" = $1)`

const BOT = `(select min("id") from "users" where "realmId" = 1)`
const CONVERSATION = `(select min("id") from "conversations" where "realmId" = $1)`

const WITH_SYSTEM_BOT = [
  `insert into "conversationMembers" values (${CONVERSATION}, ${BOT})`,
  `insert into "userMessages" ("messageId", "userId", "flags") select "id", ${BOT}, 1 from "messages" where "realmId" = $1`,
  `insert into "readMarks" ("channelId", "conversationId", "userId", "messageId") values (0, ${CONVERSATION}, ${BOT}, 4)`,
]

async function findShapes(db: Db, tables: readonly string[]): Promise<Shape[]> {
  const rows = await run<Shape>(db, SHAPES)
  const byName = new Map(rows.map((row) => [row.name, row]))
  return tables.flatMap((name) => byName.get(name) ?? [])
}

const SHAPES = `
  select "relname"::text as "name",
    (select json_agg(json_build_object('name', "attname", 'type', "atttypid"::regtype::text,
        'isNullable', not "attnotnull", 'isAllocated', "attidentity" <> '') order by "attnum")
      from pg_attribute where "attrelid" = pg_class."oid" and "attnum" > 0 and not "attisdropped") as "columns",
    (select coalesce(json_agg(json_build_object('column', "attname", 'parent', "parent"."relname")), '[]')
      from pg_constraint join pg_attribute on "attrelid" = "conrelid" and "attnum" = "conkey"[1]
        join pg_class as "parent" on "parent"."oid" = "confrelid"
      where "conrelid" = pg_class."oid" and "contype" = 'f') as "references"
  from pg_class where "relnamespace" = current_schema()::regnamespace and "relkind" = 'r'`

/** Returns all rows of the tables that satisfy the condition of their table, as sorted texts by table. */
export async function readRows(
  { db }: Storage,
  tables: readonly { name: string; condition: string }[],
): Promise<Record<string, string[]>> {
  const read: Record<string, string[]> = {}
  for (const { name, condition } of tables) {
    const statement = `select to_jsonb("${name}")::text as "row" from "${name}" where ${condition}`
    read[name] = (await run<{ row: string }>(db, statement)).map(({ row }) => row).sort()
  }
  return read
}
