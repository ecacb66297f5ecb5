import { createReadStream, existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { z } from 'zod'
import { OperatorError, Refusal } from '#lib/errors.ts'
import * as shapes from './shapes.ts'

/** An error in the imported data. The message names the file and the position. */
export class ImportError extends OperatorError {}

/** Returns the result of `work`, or null if it throws a refusal. */
export function nullIfRefused<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Returns the result of `work`. If `work` throws a refusal, throws an ImportError that names the position. */
export function requireAt<Result>(position: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) throw new ImportError(`${position}: ${error.message}`)
    throw error
  }
}

/** The tables of a file in the export, by name. */
type ExportedTables = { file: string; tables: Readonly<Record<string, unknown>> }

/** Reads a file of tables; `name` is its name in error messages. */
export async function readTables(path: string, name: string): Promise<ExportedTables> {
  const tables = await readJson(path, name)
  if (typeof tables !== 'object' || tables === null || Array.isArray(tables))
    throw new ImportError(`${name}: not an object with tables.`)
  return { file: name, tables: tables as Record<string, unknown> }
}

/** Returns the content of the file; undefined if it does not exist. */
async function readJson(path: string, name: string): Promise<unknown> {
  let content: string
  try {
    content = await text(createReadStream(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
  try {
    return JSON.parse(content)
  } catch {
    throw new ImportError(`${name}: not valid JSON.`)
  }
}

export function hasTable({ tables }: ExportedTables, table: string): boolean {
  return tables[table] !== undefined
}

/** Returns the parsed rows of a table; a missing table has none. */
export function readRows<Shape extends z.ZodType>(
  { file, tables }: ExportedTables,
  table: string,
  shape: Shape,
): z.infer<Shape>[] {
  const rows = tables[table] ?? []
  if (!Array.isArray(rows)) throw new ImportError(`${file}: ${table} is not a list.`)
  return readList(rows, `${file}, ${table}`, shape)
}

export function readList<Shape extends z.ZodType>(rows: unknown[], name: string, shape: Shape): z.infer<Shape>[] {
  return rows.map((row, index) => {
    const { success, data, error } = shape.safeParse(withShortNames(row))
    if (success) return data
    const [issue] = error.issues
    throw new ImportError(`${name}, row ${index + 1}: ${issue?.path.join('.') || 'the row'}: ${issue?.message}`)
  })
}

/** Names that end in `_id` but are not references. */
const NO_REFERENCES = new Set(['path_id', 'type_id', 'string_id', 'last_update_id'])

/** References have two spellings, `user_profile` and `user_profile_id`; the shorter one is used. */
function withShortNames(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row
  let renamed: Record<string, unknown> | null = null
  for (const [name, value] of Object.entries(row)) {
    if (!name.endsWith('_id') || NO_REFERENCES.has(name)) continue
    const short = name.slice(0, -3)
    if (!(short in row)) renamed = { ...(renamed ?? row), [short]: value }
  }
  return renamed ?? row
}

/** Returns the rows by their ids, which must be unique. */
function byId<Row extends { id: number }>(rows: readonly Row[], name: string): Map<number, Row> {
  const found = new Map<number, Row>()
  for (const row of rows) {
    if (found.has(row.id)) throw new ImportError(`${name}: two rows have the id ${row.id}.`)
    found.set(row.id, row)
  }
  return found
}

export const REALM_FILE = 'realm.json'

/** The table of the personal settings that only Parley has; other readers of the format ignore it. */
export const OWN_SETTINGS = 'parley_usersettings'

export type ExportData = Awaited<ReturnType<typeof readExport>>

/** Reads the whole export except for its messages, and parses each row. */
export async function readExport(folder: string) {
  const all = await readTables(join(folder, REALM_FILE), REALM_FILE)
  const [realm, another] = readRows(all, 'zerver_realm', shapes.realmRow)
  if (realm === undefined || another !== undefined)
    throw new ImportError(`${REALM_FILE}: zerver_realm must have one row, because an export contains one organization.`)
  const attachments = await readAttachments(folder)
  return {
    folder,
    realm,
    defaultSettings: readRows(all, 'zerver_realmuserdefault', shapes.settingsRow)[0],
    users: readUsers(all),
    systemBots: readRows(all, 'zerver_userprofile_crossrealm', shapes.systemBotRow),
    channels: byId(readRows(all, 'zerver_stream', shapes.channelRow), `${REALM_FILE}, zerver_stream`),
    recipients: byId(readRows(all, 'zerver_recipient', shapes.recipientRow), `${REALM_FILE}, zerver_recipient`),
    subscriptions: readRows(all, 'zerver_subscription', shapes.subscriptionRow),
    defaultChannels: readRows(all, 'zerver_defaultstream', shapes.defaultChannelRow),
    clients: byId(readRows(all, 'zerver_client', shapes.clientRow), `${REALM_FILE}, zerver_client`),
    groups: readGroups(all),
    emoji: byId(readRows(all, 'zerver_realmemoji', shapes.emojiRow), `${REALM_FILE}, zerver_realmemoji`),
    linkifiers: readRows(all, 'zerver_realmfilter', shapes.linkifierRow),
    domains: readRows(all, 'zerver_realmdomain', shapes.domainRow),
    profileFields: readRows(all, 'zerver_customprofilefield', shapes.profileFieldRow),
    profileValues: readRows(all, 'zerver_customprofilefieldvalue', shapes.profileValueRow),
    alertWords: readRows(all, 'zerver_alertword', shapes.alertWordRow),
    statuses: readRows(all, 'zerver_userstatus', shapes.statusRow),
    mutedUsers: readRows(all, 'zerver_muteduser', shapes.mutedUserRow),
    userTopics: [
      ...readRows(all, 'zerver_usertopic', shapes.userTopicRow),
      ...readRows(all, 'zerver_mutedtopic', shapes.userTopicRow),
    ],
    services: readRows(all, 'zerver_service', shapes.serviceRow),
    reactions: readRows(all, 'zerver_reaction', shapes.reactionRow),
    submessages: readRows(all, 'zerver_submessage', shapes.submessageRow),
    attachments,
    avatars: await readRecords(folder, 'avatars', shapes.avatarRecord),
    emojiPictures: await readRecords(folder, 'emoji', shapes.emojiRecord),
    messageFiles: await findMessageFiles(folder),
    unread: countUnread(all),
    icons: await readRecords(folder, 'realm_icons', shapes.iconRecord),
    hasStatistics: existsSync(join(folder, 'analytics.json')),
  }
}

function readUsers(all: ExportedTables): Map<number, shapes.UserRow> {
  const people = [
    ...readRows(all, 'zerver_userprofile', shapes.userRow),
    ...readRows(all, 'zerver_userprofile_mirrordummy', shapes.userRow).map((row) => ({ ...row, is_active: false })),
  ]
  const own = new Map(readRows(all, OWN_SETTINGS, shapes.ownSettingsRow).map((row) => [row.id, row]))
  return byId(
    people.map((row) => ({ ...own.get(row.id), ...row })),
    `${REALM_FILE}, zerver_userprofile`,
  )
}

/** Reads the named groups, and the unnamed groups of single settings. */
function readGroups(all: ExportedTables) {
  const known = hasTable(all, 'zerver_namedusergroup')
  const rows = readRows(all, known ? 'zerver_namedusergroup' : 'zerver_usergroup', shapes.groupRow)
  const named = new Map<number, shapes.GroupRow & { name: string }>()
  for (const row of rows) {
    const id = row.usergroup_ptr ?? row.id
    if (id && row.name) named.set(id, { ...row, name: row.name })
  }
  return {
    named,
    members: Map.groupBy(readRows(all, 'zerver_usergroupmembership', shapes.groupMemberRow), (row) => row.user_group),
    subgroups: Map.groupBy(readRows(all, 'zerver_groupgroupmembership', shapes.subgroupRow), (row) => row.supergroup),
    ids: new Set([
      ...named.keys(),
      ...readRows(all, 'zerver_usergroup', shapes.groupRow).flatMap(({ id }) => (id ? [id] : [])),
    ]),
  }
}

async function readAttachments(folder: string): Promise<shapes.AttachmentRow[]> {
  const content = await readJson(join(folder, 'attachment.json'), 'attachment.json')
  if (content === undefined) return []
  const tables = { file: 'attachment.json', tables: Object(content) as Record<string, unknown> }
  return [
    ...byId(readRows(tables, 'zerver_attachment', shapes.attachmentRow), 'attachment.json, zerver_attachment').values(),
  ]
}

async function readRecords<Shape extends z.ZodType>(
  folder: string,
  kind: string,
  shape: Shape,
): Promise<z.infer<Shape>[]> {
  const name = `${kind}/records.json`
  const records = (await readJson(join(folder, name), name)) ?? []
  if (!Array.isArray(records)) throw new ImportError(`${name}: not a list.`)
  return readList(records, name, shape)
}

/** Returns the names of the message files, ordered by number. */
async function findMessageFiles(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^messages-\d+\.json$/.test(name))
  const partial = (await readdir(folder)).find((name) => /^messages-\d+\.json\.partial/.test(name))
  if (partial !== undefined) throw new ImportError(`${partial}: the export was not completed.`)
  return files.sort((one, other) => numberOf(one) - numberOf(other))
}

const numberOf = (name: string) => Number(/\d+/.exec(name)?.[0])

const READ = new Set(
  `realm userprofile userprofile_mirrordummy userprofile_crossrealm stream recipient subscription huddle defaultstream
  client usergroup namedusergroup usergroupmembership groupgroupmembership realmemoji realmfilter realmdomain
  customprofilefield customprofilefieldvalue alertword userstatus muteduser usertopic mutedtopic service
  reaction submessage realmuserdefault`
    .split(/\s+/)
    .map((name) => `zerver_${name}`),
)

/** Returns the tables that are not imported, each with the number of its rows. */
function countUnread({ tables }: ExportedTables): { table: string; rows: number }[] {
  return Object.entries(tables).flatMap(([table, rows]) =>
    Array.isArray(rows) && rows.length > 0 && !READ.has(table) ? [{ table, rows: rows.length }] : [],
  )
}
