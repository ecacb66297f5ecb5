import { type ExpressionBuilder, type Selectable, sql } from 'kysely'
import { z } from 'zod'
import { findRealmChannels } from '#channels/queries.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { endpoint } from '#http/endpoint.ts'
import { page } from '#http/pages.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { maySeeAddress, maySeeSignInsOf, mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { type AuditKind, type AuditTarget, auditCategories, auditKindNames, auditKinds } from '#people/audit.ts'
import { findRealmUsers } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { RETENTION_GRACE_PERIOD, UNLIMITED } from '#realms/message-retention.ts'
import { readRealmSettings } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'

// Reading the audit log, and deleting its old entries. Names are looked up when entries are shown, so that they are the
// current ones. An administrator sees less than an owner: neither the sign-ins, sessions and keys of owners, nor the
// network addresses of owners. No one sees an email address in the log that its holder hides from them.

/** The conditions that entries must meet. */
export type AuditFilters = {
  /** Part of the name of a person, channel or group, or of a setting or another detail. */
  search?: string | undefined
  /** Settings by API name that `search` means in the language of the client. */
  settings?: readonly string[] | undefined
  category?: (typeof auditCategories)[number] | undefined
  kinds?: readonly AuditKind[] | undefined
  actorId?: number | undefined
  target?: { type: NonNullable<AuditTarget>; id: number } | undefined
  /** UNIX seconds, of which `until` is not included. */
  since?: number | undefined
  until?: number | undefined
  /** Only entries with smaller ids, which are older. */
  beforeId?: number | undefined
}

/** The reader of the log; null for the operator, who sees everything. */
type Reader = Pick<User, 'id' | 'role' | 'realmId'> | null

const entryJson = z.strictObject({
  id: z.int(),
  timestamp: z.int(),
  kind: z.enum(auditKindNames),
  category: z.enum(auditCategories),
  origin: z
    .enum(['request', 'directory', 'command', 'server'])
    .describe(
      '`command` if the operator used the command line, `directory` if a directory manages the account, or a sign-in gave roles or groups.',
    ),
  actor_id: z.int().nullable(),
  actor_name: z.string().nullable().describe('The current name.'),
  target_type: z.enum(['user', 'channel', 'group']).nullable(),
  target_id: z.int().nullable(),
  target_name: z.string().nullable(),
  details: z.record(z.string(), z.unknown()).describe('Mostly `from` and `to`, and `setting` or `property`.'),
  network_address: z.string().nullable(),
  client: z.string().describe('The name of the browser or program; empty if it is unknown.'),
})

export type AuditEntryJson = z.infer<typeof entryJson>

/** The maximum number of accounts, channels or groups whose names a search finds. */
const MAX_NAMES = 1000

type Names = {
  users: ReadonlyMap<number, User>
  channels: ReadonlyMap<number, string>
  groups: ReadonlyMap<number, string>
}

async function findNames(db: Db, realmId: number): Promise<Names> {
  const [users, channels, groups] = await Promise.all([
    findRealmUsers(db, realmId),
    findRealmChannels(db, realmId),
    findRealmGroups(db, realmId),
  ])
  return {
    users: new Map(users.map((user) => [user.id, user])),
    channels: new Map(channels.map(({ id, name }) => [id, name])),
    groups: new Map([...groups.byId].map(([id, { name }]) => [id, name])),
  }
}

const kindsWhere = (test: (kind: (typeof auditKinds)[AuditKind]) => boolean) =>
  auditKindNames.filter((name) => test(auditKinds[name]))

const kindsAbout = (target: AuditTarget) => kindsWhere((kind) => kind.target === target)

const kindsIn = (category: AuditFilters['category']) => kindsWhere((kind) => kind.category === category)

/** Details of other kinds are not searched: a search must not find out addresses that the reader may not see. */
const SEARCHED = kindsWhere(({ category }) => ['organization', 'invitations', 'channels', 'groups'].includes(category))

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** Returns a page of entries, newest first. */
export async function findAuditEntries(
  db: Db,
  realmId: number,
  reader: Reader,
  filters: AuditFilters,
  limit: number,
): Promise<AuditEntryJson[]> {
  const names = await findNames(db, realmId)
  const { category, kinds = [], actorId, target, since, until, beforeId } = filters
  let query = db.selectFrom('auditEntries').selectAll().where('realmId', '=', realmId)
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (actorId !== undefined) query = query.where('actorId', '=', actorId)
  if (category !== undefined) query = query.where('kind', 'in', kindsIn(category))
  if (kinds.length > 0) query = query.where('kind', 'in', kinds)
  if (target !== undefined) query = query.where('targetId', '=', target.id).where('kind', 'in', kindsAbout(target.type))
  const hiddenUsers = [...names.users.values()].filter((user) => !showsSignIns(reader, user)).map(({ id }) => id)
  if (hiddenUsers.length > 0)
    query = query.where((where) =>
      where.or([
        where('kind', 'not in', kindsIn('sign_in')),
        where('targetId', 'is', null),
        where('targetId', 'not in', hiddenUsers),
      ]),
    )
  const searched = searchCondition(names, filters)
  if (searched !== null) query = query.where(searched)
  const rows = await query.orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => toEntryJson(reader, names, row))
}

const showsSignIns = (reader: Reader, user: User): boolean => reader === null || maySeeSignInsOf(reader, user)

/** Returns the condition for the text of a search; null if there is none. */
function searchCondition({ users, channels, groups }: Names, { search = '', settings = [] }: AuditFilters) {
  const text = search.trim().toLowerCase()
  if (text === '') return null
  const idsOf = (all: Iterable<readonly [number, string]>) =>
    [...all].flatMap(([id, name]) => (name.toLowerCase().includes(text) ? [id] : [])).slice(0, MAX_NAMES)
  const people = idsOf([...users].map(([id, { fullName }]) => [id, fullName] as const))
  const found = { user: people, channel: idsOf(channels), group: idsOf(groups) }
  const patterns = [
    ...[text, text.replaceAll(' ', '_')].map((part) => `%${escapeLike(part)}%`),
    ...settings.map((name) => `%"${escapeLike(name)}"%`),
  ]
  return (where: ExpressionBuilder<Tables, 'auditEntries'>) =>
    where.or([
      ...(people.length > 0 ? [where('actorId', 'in', people)] : []),
      ...(['user', 'channel', 'group'] as const)
        .filter((type) => found[type].length > 0)
        .map((type) => where.and([where('targetId', 'in', found[type]), where('kind', 'in', kindsAbout(type))])),
      where.and([
        where('kind', 'in', SEARCHED),
        where.or(patterns.map((one) => sql<boolean>`lower("details") like ${one} escape '\\'`)),
      ]),
    ])
}

function toEntryJson(reader: Reader, names: Names, row: Selectable<Tables['auditEntries']>): AuditEntryJson {
  const kind = row.kind as AuditKind
  const { target, category } = auditKinds[kind]
  const actor = row.actorId === null ? undefined : names.users.get(row.actorId)
  // The link in an email has no actor: whoever opened it is the person whom the entry is about.
  const person = actor ?? (target === 'user' && row.targetId !== null ? names.users.get(row.targetId) : undefined)
  const isShown = person === undefined || person.id === reader?.id || showsSignIns(reader, person)
  return {
    id: row.id,
    timestamp: Math.floor(row.at),
    kind,
    category,
    origin: row.origin as AuditEntryJson['origin'],
    actor_id: row.actorId,
    actor_name: actor?.fullName ?? null,
    target_type: target,
    target_id: row.targetId,
    target_name: nameOf(names, target, row.targetId),
    details: visibleDetails(reader, names, kind, row),
    network_address: isShown ? row.address : null,
    client: row.client,
  }
}

function nameOf({ users, channels, groups }: Names, type: AuditTarget, id: number | null): string | null {
  if (type === null || id === null) return null
  if (type === 'user') return users.get(id)?.fullName ?? null
  return (type === 'channel' ? channels : groups).get(id) ?? null
}

/** Returns the details, without email addresses that their holder hides from the reader. */
function visibleDetails(
  reader: Reader,
  { users }: Names,
  kind: AuditKind,
  { targetId, details }: { targetId: number | null; details: string },
): AuditEntryJson['details'] {
  const all = JSON.parse(details) as AuditEntryJson['details']
  if (kind !== 'email_changed' && kind !== 'email_change_requested') return all
  const holder = targetId === null ? undefined : users.get(targetId)
  return reader === null || (holder !== undefined && maySeeAddress(reader, holder)) ? all : { from: null, to: null }
}

const filterParams = {
  search: z.string().max(100).default('').describe('Part of the name of a person, channel, group or setting.'),
  settings: z
    .array(z.string().regex(/^[a-z_0-9]+$/))
    .max(50)
    .default([])
    .describe('Settings by API name that are found as well.'),
  category: z.enum(auditCategories).optional(),
  kinds: z.array(z.enum(auditKindNames)).optional(),
  actor_id: z.int().optional(),
  target_type: z.enum(['user', 'channel', 'group']).optional().describe('Needs `target_id`.'),
  target_id: z.int().optional(),
  since: z.int().optional().describe('UNIX seconds.'),
  until: z.int().optional().describe('UNIX seconds; not included.'),
}

const toFilters = (
  given: z.output<z.ZodObject<typeof filterParams>> & { before_id?: number | undefined },
): AuditFilters => ({
  ...{ search: given.search, settings: given.settings, category: given.category, kinds: given.kinds },
  ...{ actorId: given.actor_id, since: given.since, until: given.until, beforeId: given.before_id },
  ...(given.target_type !== undefined &&
    given.target_id !== undefined && { target: { type: given.target_type, id: given.target_id } }),
})

export const getAuditLog = endpoint({
  route: 'GET /audit_log',
  summary: 'List the audit log',
  description:
    'The newest entry comes first. Requires an administrator. Only owners see the sign-ins and the network addresses of ' +
    'owners. An endpoint of our own.',
  who: 'human',
  params: {
    ...filterParams,
    before_id: z.int().optional().describe('Only older entries than this one, for the next page.'),
    limit: z.int().min(1).max(200).default(50),
  },
  returns: {
    entries: z.array(entryJson),
    found_oldest: z.boolean().describe('True if there are no older entries that match.'),
  },
  refuses: [mustBeAdministrator],
  async handle({ db, actor }, { limit, ...given }) {
    requireAdministrator(actor)
    const found = await findAuditEntries(db, actor.realmId, actor, toFilters(given), limit + 1)
    return { entries: found.slice(0, limit), found_oldest: found.length <= limit }
  },
})

/** The maximum number of entries in one file. */
const MAX_ROWS = 50_000

const COLUMNS = ['id', 'time', 'actor', 'origin', 'event', 'target', 'details', 'network_address', 'client'] as const

/**
 * Returns a cell of a CSV file. Spreadsheets run text that begins with certain characters as a formula, so an apostrophe
 * comes before them.
 */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function toCsvRow(entry: AuditEntryJson): string {
  const cells: Record<(typeof COLUMNS)[number], string> = {
    id: String(entry.id),
    time: new Date(entry.timestamp * 1000).toISOString().replace('.000Z', 'Z'),
    actor: entry.actor_name ?? '',
    origin: entry.origin,
    event: entry.kind,
    target: entry.target_name ?? '',
    details: Object.keys(entry.details).length === 0 ? '' : JSON.stringify(entry.details),
    network_address: entry.network_address ?? '',
    client: entry.client,
  }
  return `${COLUMNS.map((name) => csvCell(cells[name])).join(',')}\r\n`
}

/** The entries that are read at once for a file. */
const ROWS_AT_ONCE = 1000

/** Yields the entries, newest first and at most `limit`, as the lines of a CSV file with a heading. */
export async function* auditCsv(
  db: Db,
  realmId: number,
  reader: Reader,
  filters: AuditFilters,
  limit: number,
): AsyncGenerator<string> {
  yield `\ufeff${COLUMNS.join(',')}\r\n`
  let { beforeId } = filters
  for (let left = limit; left > 0; left -= ROWS_AT_ONCE) {
    const count = Math.min(left, ROWS_AT_ONCE)
    const found = await findAuditEntries(db, realmId, reader, { ...filters, beforeId }, count)
    yield found.map(toCsvRow).join('')
    beforeId = found.at(-1)?.id
    if (found.length < count) return
  }
}

/** Downloads the entries that the same parameters as of `GET /audit_log` find, as a file for spreadsheets. */
export const auditLogFile = page({
  route: 'GET /audit-log.csv',
  who: 'user',
  async handle({ db, visitor, query }) {
    const { actor } = visitor
    requireAdministrator(actor)
    const filters = toFilters(parseQuery(query))
    const pieces: Buffer[] = []
    for await (const piece of auditCsv(db, actor.realmId, actor, filters, MAX_ROWS)) pieces.push(Buffer.from(piece))
    return {
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.csv"',
        'cache-control': 'private, no-store',
      },
      body: pieces,
    }
  },
})

/** Reads the parameters of the file. Those that are invalid are ignored, as in the addresses of all pages. */
function parseQuery(query: ReadonlyMap<string, string>): z.output<z.ZodObject<typeof filterParams>> {
  const given: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(filterParams)) {
    const text = query.get(name)
    if (text === undefined) continue
    for (const value of [text, tryJson(text)]) {
      const parsed = type.safeParse(value)
      if (!parsed.success || value === undefined) continue
      given[name] = parsed.data
      break
    }
  }
  return z.object(filterParams).parse(given)
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The maximum number of entries that one transaction deletes. */
const DELETED_AT_ONCE = 1000

const SETTING = 'audit_log_retention_days'

/**
 * Deletes entries that are older than the organization keeps them, at most 1000 of each organization. Returns true if
 * there may be more. Nothing is deleted in the day after the setting was changed, so that a mistake can be corrected.
 */
export async function deleteOldAuditEntries(tx: Transaction): Promise<boolean> {
  const realms = await tx.db
    .selectFrom('realms')
    .select(['id', 'settings'])
    .select((of) =>
      of
        .selectFrom('auditEntries')
        .select('auditEntries.at')
        .whereRef('auditEntries.realmId', '=', 'realms.id')
        .orderBy('auditEntries.id')
        .limit(1)
        .as('oldestAt'),
    )
    .execute()
  let isMore = false
  for (const { id, settings, oldestAt } of realms) {
    const days = readRealmSettings(settings)[SETTING]
    const before = tx.now - days * SECONDS_PER_DAY
    if (days === UNLIMITED || oldestAt === null || oldestAt >= before || (await wasJustChanged(tx, id))) continue
    isMore = (await deleteEntriesBefore(tx, id, before)) || isMore
  }
  return isMore
}

/** Returns whether the setting was changed within the last day. */
async function wasJustChanged(tx: Transaction, realmId: number): Promise<boolean> {
  const found = await tx.db
    .selectFrom('auditEntries')
    .select('id')
    .where('realmId', '=', realmId)
    .where('at', '>', tx.now - RETENTION_GRACE_PERIOD)
    .where('kind', '=', 'organization_changed')
    .where('details', 'like', `%"${SETTING}"%`)
    .limit(1)
    .execute()
  return found.length > 0
}

/** Deletes the oldest entries, and returns whether there may be more. */
async function deleteEntriesBefore(tx: Transaction, realmId: number, before: number): Promise<boolean> {
  const old = await tx.db
    .selectFrom('auditEntries')
    .select('id')
    .where('realmId', '=', realmId)
    .where('at', '<', before)
    .orderBy('id')
    .limit(DELETED_AT_ONCE)
    .execute()
  const ids = old.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('auditEntries').where('id', 'in', ids).execute()
  return ids.length === DELETED_AT_ONCE
}
