import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { findSubscribedIds, isOpenToSpectators } from '#channels/access.ts'
import type { Channel } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import type { Viewer } from '#groups/viewer.ts'
import { notLoggedIn } from '#http/refusals.ts'
import { refusal } from '#lib/errors.ts'
import { findUserByApiEmail } from '#people/access.ts'
import { isSystemBotAddress } from '#people/bots.ts'
import { findUser } from '#people/user-queries.ts'
import { isVisible, type User } from '#people/users.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { mayListMessages } from '#rules/permissions.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { hasProtectedHistory } from './access.ts'
import { countKeys, type Phrase } from './search/phrases.ts'
import { updateSearchIndexForSearch } from './search-index.ts'

// Narrows: the terms of a filter for messages, their wire format, and the parts from which their SQL is built. Every
// query for messages applies the access scope of the reader, so a narrow can only restrict what the reader sees. The
// operators are in narrow/.

/** An SQL condition on "messages" and "userMessages". The latter is the reader's record, which may be missing. */
export type Condition = RawBuilder<boolean>

/** An SQL query that returns message ids. */
export type Ids = RawBuilder<number>

/**
 * The messages that a user may read: all messages of some channels, and of other channels only the messages that the
 * user received.
 */
export type AccessScope = {
  userId: number
  realmId: number
  fullAccessIds: ReadonlySet<number>
  receivedOnlyIds: ReadonlySet<number>
}

type Operand = string | number | readonly (string | number)[]

/** One condition of a narrow. */
export type Term = { operator: string; operand: Operand; negated: boolean }

/** Properties that every matching message has and that the database has an index for. */
export type IndexHints = {
  id?: number
  channelId?: number
  conversationId?: number
  topicKey?: string
  senderId?: number
  phrases?: readonly Phrase[]
  /** True if the narrow requires one of the `INDEXED_FLAGS`. */
  hasIndexedFlag?: true
  hasFeatures?: true
  /** No matching message has an id below `minId` or above `maxId`. */
  minId?: number
  maxId?: number
  isUnread?: true
  isDirect?: true
}

/** The meaning of one term. */
export type Clause = {
  condition: Condition
  /** Properties that the condition implies. They are used only if the term is not negated. */
  hints?: IndexHints
  /** True if the term also matches messages that the reader may read but has not received. */
  opensHistory?: boolean
}

/** Reads a term of one operator and refuses an invalid operand. */
export type Operator = (viewer: Viewer, term: Term) => Clause | Promise<Clause>

/** A narrow for one reader. Its condition never matches a message that the reader may not read. */
export type Filter = {
  scope: AccessScope
  condition: Condition
  /** The condition without `hints.phrases`, for queries that read matches from the full-text index. */
  conditionWithoutPhrases: Condition
  hints: IndexHints
  /** True if the narrow matches only messages that the reader has a record of. */
  receivedOnly: boolean
}

/** Matches rows whose column is one of the ids. All ids are passed as a single parameter. */
export function isAmong(db: Db, column: string, ids: Iterable<number>): Condition {
  const list = [...ids].join(',')
  return db.dialect === 'sqlite'
    ? sql<boolean>`${sql.ref(column)} in (select "value" from json_each(${`[${list}]`}))`
    : sql<boolean>`${sql.ref(column)} = any(cast(${`{${list}}`} as bigint[]))`
}

export const parenthesized = (ids: Ids): Ids => sql<number>`(${ids})`

/** Negates a condition. Null counts as false: for example, the channel of a direct message is null. */
export function not(condition: Condition): Condition {
  return sql<boolean>`(${condition}) is not true`
}

export function all(conditions: readonly Condition[]): Condition {
  return sql<boolean>`${sql.join([...conditions], sql` and `)}`
}

export const matchesNothing: Condition = sql<boolean>`1 = 0`

/** All channels of an organization. */
export const realmChannels = defineCache<number, readonly Channel[]>({
  dependsOn: ['channels'],
  limit: 1000,
  load: findRealmChannels,
})

/**
 * Applies the rules of `requireMessage` to these channels, or to all channels of the organization. Direct messages are
 * always included.
 */
export async function findAccessScope(viewer: Viewer, channels?: readonly Channel[]): Promise<AccessScope> {
  const { db, actor } = viewer
  const membership = await viewer.scope()
  const subscribedIds = viewer.isSpectator ? new Set<number>() : await findSubscribedIds(db, actor.id)
  const mayList = (channel: Channel) =>
    viewer.isSpectator
      ? isOpenToSpectators(actor.realm, channel)
      : mayListMessages(membership, actor, channel, subscribedIds.has(channel.id))
  const scope = {
    userId: actor.id,
    realmId: actor.realmId,
    fullAccessIds: new Set<number>(),
    receivedOnlyIds: new Set<number>(),
  }
  for (const channel of channels ?? (await realmChannels.get(db, actor.realmId))) {
    if (channel.realmId !== actor.realmId) continue
    if (!mayList(channel)) continue
    if (hasProtectedHistory(channel)) scope.receivedOnlyIds.add(channel.id)
    else scope.fullAccessIds.add(channel.id)
  }
  return scope
}

/** Matches messages that the user may read. Every query that lists or counts messages must apply it. */
export function isInScope(db: Db, { realmId, fullAccessIds, receivedOnlyIds }: AccessScope): Condition {
  // The unary plus keeps SQLite from using the index on the organization, which would scan all of its messages.
  return sql<boolean>`+"messages"."realmId" = ${realmId} and case
    when "messages"."conversationId" is not null then "userMessages"."flags" is not null
    when ${isAmong(db, 'messages.channelId', fullAccessIds)} then 1 = 1
    when ${isAmong(db, 'messages.channelId', receivedOnlyIds)} then "userMessages"."flags" is not null
    else 1 = 0 end`
}

/** Returns those of the messages that the user may read. */
export async function findReadableIds(viewer: Viewer, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const { db, actor } = viewer
  const rows = await db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', actor.id),
    )
    .select('messages.id')
    .where(isAmong(db, 'messages.id', ids))
    .where(isInScope(db, await findAccessScope(viewer)))
    .execute()
  return new Set(rows.map(({ id }) => id))
}

export const badNarrow = refusal('BAD_NARROW', 400, 'Invalid narrow operator: {desc}', {
  field: 'narrow',
  extras: ({ desc }) => ({ desc }),
})

/**
 * The maximum number of words in a search. The beginning of a word counts as several words. Each word costs a lookup in
 * the index, and time to find it in the results.
 */
const MAX_WORDS = 100

export function requireFewWords(phrases: readonly Phrase[]): void {
  if (countKeys(phrases) > MAX_WORDS) throw badNarrow({ desc: 'too many words' })
}

const operandJson = z.union([z.string(), z.int(), z.array(z.union([z.int(), z.string()]))])

/** The maximum number of terms. It is limited because all terms become part of one SQL statement. */
export const MAX_TERMS = 50

/** A narrow in wire format. A message must match all terms; null matches every message. */
export const narrowJson = z
  .array(
    z.union([
      z.tuple([z.string(), operandJson]),
      z
        .object({ operator: z.string(), operand: operandJson, negated: z.boolean().optional() })
        .meta({ title: 'NarrowTerm' }),
    ]),
  )
  .max(MAX_TERMS)
  .nullable()

function readTerms(narrow: z.output<typeof narrowJson>): Term[] {
  return (narrow ?? []).map((given) => {
    if (!Array.isArray(given)) return { ...given, negated: given.negated ?? false }
    const [operator, operand] = given
    return { operator, operand, negated: false }
  })
}

/** The operators that spectators can use. The others concern people, flags, or the full-text index. */
const SPECTATOR_OPERATORS: ReadonlySet<string> = new Set([
  ...['channel', 'stream', 'channels', 'streams', 'topic', 'subject', 'has', 'id', 'near', 'with'],
])

/** Refuses the narrow of a spectator unless it is limited to web-public channels and uses only their operators. */
export function requireSpectatorNarrow(narrow: z.output<typeof narrowJson>): void {
  const terms = readTerms(narrow)
  const isLimited = terms.some(
    ({ operator, operand, negated }) =>
      (operator === 'channels' || operator === 'streams') && operand === 'web-public' && !negated,
  )
  if (!isLimited || !terms.every(({ operator }) => SPECTATOR_OPERATORS.has(operator))) throw notLoggedIn()
}

/**
 * Returns the terms of a narrow. If a term searches for words, the search index is updated first, so that all committed
 * messages are found. Do not call it in a transaction.
 */
export async function prepareTerms(
  storage: { db: Db; transaction: RunTransaction },
  narrow: z.output<typeof narrowJson>,
): Promise<readonly Term[]> {
  const terms = readTerms(narrow)
  if (terms.some((term) => term.operator === 'search')) await updateSearchIndexForSearch(storage)
  return terms
}

/** Returns the operand as text; refuses a list. */
export function operandText({ operator, operand }: Term): string {
  if (typeof operand === 'object') throw badNarrow({ desc: `unknown '${operator}' operand ${operand.join(',')}` })
  return String(operand)
}

const ID = /^\s*\d{1,15}\s*$/

/** Returns the id in the text or number; null if it is not an id. */
export function parseId(value: string | number): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  return ID.test(value) ? Number(value) : null
}

/** Returns the user with this id or API email address. Refuses a user whom the reader cannot see like a missing one. */
export async function requireOperandUser(viewer: Viewer, operand: Operand): Promise<User> {
  const user = typeof operand === 'object' ? null : await findOperandUser(viewer, operand)
  if (user === null) throw badNarrow({ desc: `unknown user ${operand}` })
  return user
}

/** Returns the users with these ids or email addresses, given as a list or a comma-separated string. */
export async function requireOperandUsers(viewer: Viewer, operand: Operand): Promise<User[]> {
  const keys = typeof operand === 'string' ? operand.split(',') : typeof operand === 'number' ? [operand] : operand
  const users: User[] = []
  for (const key of keys) {
    const user = await findOperandUser(viewer, key)
    if (user === null) throw badNarrow({ desc: `unknown user in ${operand}` })
    users.push(user)
  }
  return users
}

async function findOperandUser(viewer: Viewer, key: string | number): Promise<User | null> {
  const { actor } = viewer
  const user = await findAnyUser(viewer, key)
  if (user === null || user.realmId !== actor.realmId) return user
  const visibleIds = await viewer.visibleIds()
  return isVisible(visibleIds, user) ? user : null
}

/** Returns the user of the reader's organization, or the system bot, with this id or API email address. */
async function findAnyUser({ db, actor }: Viewer, key: string | number): Promise<User | null> {
  const id = parseId(key)
  if (id !== null) {
    const user = await findUser(db, id)
    return user?.realmId === actor.realmId || isSystemBotAddress(user?.deliveryEmail ?? '') ? user : null
  }
  const email = String(key).trim()
  const realm = isSystemBotAddress(email) ? await findRealmBySubdomain(db, SYSTEM_SUBDOMAIN) : actor.realm
  return realm === null ? null : findUserByApiEmail(db, realm, email)
}
