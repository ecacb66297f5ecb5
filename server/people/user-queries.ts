import { Role } from '#rules/role.ts'
import { bypassCaches, defineCache } from '#storage/cache.ts'
import { lockRecipients } from '#storage/counters.ts'
import { defineQuery, idsIn, stringList, stringsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { MAX_EMAIL_LENGTH } from './email-addresses.ts'
import { readUserSettings, type UserSettings } from './user-settings.ts'
import type { User } from './users.ts'

// The rows of accounts. Single accounts come from a cache. Functions that lock say for how long, because rules about
// the last owner or about addresses hold only while nobody else changes the rows.

const userColumns = [
  'id',
  'realmId',
  'recipientId',
  'deliveryEmail',
  'fullName',
  'role',
  'botType',
  'botOwnerId',
  'joinedAt',
  'deactivatedAt',
  'secondFactorRequiredAt',
  'avatarFile',
  'avatarVersion',
  'timezone',
  'settings',
] as const

type UserRow = Omit<User, 'settings' | 'role'> & { settings: string; role: number }

const toUser = (row: UserRow): User => ({ ...row, role: row.role as Role, settings: readUserSettings(row.settings) })

const userWithId = defineQuery((db, id: number) => db.selectFrom('users').select(userColumns).where('id', '=', id))

const userById = defineCache<number, User | null>({
  dependsOn: [],
  dependsOnRowsOf: ['users'],
  limit: 20_000,
  load: readUser,
  async loadSeveral(db, ids) {
    const rows = await db
      .selectFrom('users')
      .select(userColumns)
      // A larger number is the id of nothing, and PostgreSQL refuses it.
      .where('id', 'in', idsIn(db.dialect, JSON.stringify(ids.filter(Number.isSafeInteger))))
      .execute()
    return rows.map((row) => [row.id, toUser(row)])
  },
  isAffected: (id, _, userIds) => userIds.includes(id),
  update: readUser,
})

async function readUser(db: Db, id: number): Promise<User | null> {
  const [row] = await userWithId(db, id)
  return row === undefined ? null : toUser(row)
}

const userIdByEmail = defineCache<string, number | null>({
  dependsOn: ['users'],
  limit: 20_000,
  load: readUserIdByEmail,
  isAffected: (_, id, userIds) => id === null || userIds.includes(id),
  update: readUserIdByEmail,
})

async function readUserIdByEmail(db: Db, key: string): Promise<number | null> {
  const separator = key.indexOf(' ')
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', Number(key.slice(0, separator)))
    .where('emailKey', '=', key.slice(separator + 1))
    .executeTakeFirst()
  return row?.id ?? null
}

/** Returns the account with this id, in any organization. */
export function findUser(db: Db, id: number): User | null | Promise<User | null> {
  return userById.get(db, id)
}

/** Returns those of the avatar files that an account uses. */
export async function findAvatarsInUse(db: Db, avatarFiles: readonly string[]): Promise<ReadonlySet<string | null>> {
  const rows = await db.selectFrom('users').select('avatarFile').where('avatarFile', 'in', avatarFiles).execute()
  return new Set(rows.map((row) => row.avatarFile))
}

/** Returns the organization's account with this real address. Case is ignored. */
export async function findUserByDeliveryEmail(db: Db, realmId: number, email: string): Promise<User | null> {
  if (email.length > MAX_EMAIL_LENGTH) return null
  const id = await userIdByEmail.get(db, `${realmId} ${email.toLowerCase()}`)
  return id === null ? null : findUser(db, id)
}

/**
 * Returns the accounts with these ids, in no particular order. Unknown ids are skipped. One query reads all accounts
 * that are not cached.
 */
export async function findUsersById(db: Db, ids: Iterable<number>): Promise<User[]> {
  return (await userById.getSeveral(db, ids)).filter((user) => user !== null)
}

/** Returns all accounts of the organization, including bots and deactivated accounts, ordered by id. */
export async function findRealmUsers(db: Db, realmId: number): Promise<User[]> {
  const rows = await db.selectFrom('users').select(userColumns).where('realmId', '=', realmId).orderBy('id').execute()
  return rows.map(toUser)
}

/** Returns the organization's accounts with ids from `from` to before `below`, ordered by id. */
export async function findUsersBetween(db: Db, realmId: number, from: number, below: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select(userColumns)
    .where('realmId', '=', realmId)
    .where('id', '>=', from)
    .where('id', '<', below)
    .orderBy('id')
    .execute()
  return rows.map(toUser)
}

/** Returns whether the organization has more accounts than this, including bots and deactivated ones. */
export async function hasMoreUsersThan(db: Db, realmId: number, count: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .limit(1)
    .offset(count)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the organization's bots and the people with at least the role of a moderator, in no particular order. */
export async function findBotsAndModerators(db: Db, realmId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select(userColumns)
    .where('realmId', '=', realmId)
    .where((is) => is.or([is('botType', 'is not', null), is('role', '<=', Role.moderator)]))
    .execute()
  return rows.map(toUser)
}

/** Returns the organization's bots, including deactivated ones, ordered by id. */
export async function findRealmBots(db: Db, realmId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select(userColumns)
    .where('realmId', '=', realmId)
    .where('botType', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(toUser)
}

/** Returns the ids of all active accounts, including bots. They are the audience of an organization's public events. */
export async function findActiveUserIds(db: Db, realmId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}

/** Returns the active human owners of the organization, ordered by id. */
export async function findActiveOwners(db: Db, realmId: number): Promise<User[]> {
  const rows = await db
    .selectFrom('users')
    .select(userColumns)
    .where('realmId', '=', realmId)
    .where('role', '=', Role.owner)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(toUser)
}

/**
 * Returns the number of active human owners of the organization. Their rows stay locked until the transaction ends, so
 * that two owners cannot demote each other at the same time.
 */
export async function countActiveOwners(tx: Transaction, realmId: number): Promise<number> {
  const rows = await tx.db
    .selectFrom('users')
    .select('id')
    .where('realmId', '=', realmId)
    .where('role', '=', Role.owner)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return rows.length
}

const transactionsWithLock = new WeakMap<Transaction, Set<number>>()

/**
 * Prevents other transactions from taking or changing an address in the organization until this transaction ends. On
 * SQLite, no lock is needed, because transactions run one after another.
 */
export async function lockEmailAddresses(tx: Transaction, realmId: number): Promise<void> {
  if (tx.db.dialect === 'sqlite') return
  const locked = transactionsWithLock.get(tx) ?? new Set()
  if (locked.has(realmId)) return
  await tx.db.selectFrom('realms').select('id').where('id', '=', realmId).forNoKeyUpdate().execute()
  transactionsWithLock.set(tx, locked.add(realmId))
  bypassCaches(tx)
}

const activeUserForShare = defineQuery((db, id: number) =>
  db.selectFrom('users').select('id').where('id', '=', id).where('deactivatedAt', 'is', null).forShare(),
)

/** Returns whether the account is active. If it is, it cannot be deactivated until the transaction ends. */
export async function lockActiveUser(tx: Transaction, id: number): Promise<boolean> {
  return (await activeUserForShare(tx.db, id)).length > 0
}

const usersByEmailKeys = defineQuery((db, realmId: number, keys: string) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .where('realmId', '=', realmId)
    .where('emailKey', 'in', stringsIn(db.dialect, keys)),
)

/** Returns the organization's accounts with these real addresses. Case is ignored. */
export async function findUsersByDeliveryEmail(db: Db, realmId: number, emails: readonly string[]): Promise<User[]> {
  const keys = stringList(emails.map((email) => email.toLowerCase()))
  return (await usersByEmailKeys(db, realmId, keys)).map(toUser)
}

export type NewUser = {
  realmId: number
  deliveryEmail: string
  fullName: string
  role: Role
  botType?: number
  botOwnerId?: number
  passwordHash?: string
  joinedAt?: number
  secondFactorRequiredAt?: number | null
  timezone?: string
  /** The settings that differ from their defaults. */
  settings?: Partial<UserSettings>
}

export async function saveUser(tx: Transaction, user: NewUser): Promise<User> {
  const recipient = await tx
    .insertInto('recipients')
    .values({ realmId: user.realmId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const row = await tx
    .insertInto('users')
    .values({
      realmId: user.realmId,
      recipientId: recipient.id,
      deliveryEmail: user.deliveryEmail,
      emailKey: user.deliveryEmail.toLowerCase(),
      fullName: user.fullName,
      role: user.role,
      botType: user.botType ?? null,
      botOwnerId: user.botOwnerId ?? null,
      joinedAt: user.joinedAt ?? tx.now,
      deactivatedAt: null,
      secondFactorRequiredAt: user.secondFactorRequiredAt ?? null,
      passwordHash: user.passwordHash ?? null,
      avatarFile: null,
      avatarVersion: 1,
      timezone: user.timezone ?? '',
      settings: JSON.stringify(user.settings ?? {}),
    })
    .returning(userColumns)
    .executeTakeFirstOrThrow()
  return toUser(row)
}

type UserFields = Pick<
  User,
  | 'fullName'
  | 'role'
  | 'joinedAt'
  | 'deactivatedAt'
  | 'secondFactorRequiredAt'
  | 'avatarFile'
  | 'avatarVersion'
  | 'timezone'
  | 'botOwnerId'
> & { passwordHash: string | null }

export async function saveUserFields(tx: Transaction, userId: number, fields: Partial<UserFields>): Promise<void> {
  await tx.updateTable('users').set(fields).where('id', '=', userId).returning('id').execute()
}

export async function saveUserEmail(tx: Transaction, userId: number, deliveryEmail: string): Promise<void> {
  await lockRecipients(tx)
  await emailUpdate(tx, userId, deliveryEmail).execute()
}

/**
 * Changes the address of the account. Returns false and changes nothing if the account no longer has the address in
 * `user`, or if its address has changed since `requestedAt`.
 */
export async function replaceUserEmail(
  tx: Transaction,
  user: User,
  deliveryEmail: string,
  requestedAt: number,
): Promise<boolean> {
  await lockRecipients(tx)
  const changed = await emailUpdate(tx, user.id, deliveryEmail)
    .where('deliveryEmail', '=', user.deliveryEmail)
    .where('deactivatedAt', 'is', null)
    .where((is) => is.or([is('emailChangedAt', 'is', null), is('emailChangedAt', '<=', requestedAt)]))
    .execute()
  return changed.length > 0
}

const emailUpdate = (tx: Transaction, userId: number, deliveryEmail: string) =>
  tx
    .updateTable('users')
    .set({ deliveryEmail, emailKey: deliveryEmail.toLowerCase(), emailChangedAt: tx.now })
    .where('id', '=', userId)
    .returning('id')

/** Returns whether the address of the account has changed since the time `since`. */
export async function hasChangedEmailSince(db: Db, userId: number, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('emailChangedAt', '>', since)
    .executeTakeFirst()
  return row !== undefined
}

/** Updates the given settings; all others stay unchanged. */
export async function saveUserSettings(tx: Transaction, userId: number, changed: Partial<UserSettings>): Promise<void> {
  const row = await tx.db
    .selectFrom('users')
    .select('settings')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const merged = { ...(JSON.parse(row.settings) as Partial<UserSettings>), ...changed }
  await tx
    .updateTable('users')
    .set({ settings: JSON.stringify(merged) })
    .where('id', '=', userId)
    .returning('id')
    .execute()
}

/** Returns the id of the newest message in the user's channels and direct conversations. */
export async function findNewestMessageId(
  db: Db,
  userId: number,
  { withArchived }: { withArchived: boolean },
): Promise<number | null> {
  const inChannels = await db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'subscriptions.channelId')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.channelId', '=', 'subscriptions.channelId')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .$if(!withArchived, (query) => query.where('channels.archivedAt', 'is', null))
    .execute()
  const inConversations = await db
    .selectFrom('conversationMembers')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.conversationId', '=', 'conversationMembers.conversationId')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .execute()
  const newestId = Math.max(0, ...[...inChannels, ...inConversations].map((row) => row.newestId ?? 0))
  return newestId === 0 ? null : newestId
}
