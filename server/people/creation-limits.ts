import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { hasDailyLimits } from './access.ts'
import type { Actor } from './users.ts'

// Limits on the number of accounts, and of objects that one person creates in a day. A user and their bots count
// together, so bots do not raise a limit.

/**
 * The refusal if a user and their bots have created too many objects of one kind in 24 hours. Their number is limited
 * because every client downloads all channels, groups, bots and emoji when it starts. Administrators have no limit.
 */
export const dailyLimitReached = refusal(
  'BAD_REQUEST',
  400,
  'You cannot create more than {limit} {plural} in 24 hours. Try again later, or ask an administrator.',
)

export const noLicensesLeft = refusal('BAD_REQUEST', 400, 'This organization has reached its maximum number of users.')

/** The maximum numbers of groups, bots and emoji that a user who is not an administrator can create in 24 hours. */
export const MAX_GROUPS_PER_DAY = 100
export const MAX_BOTS_PER_DAY = 100
export const MAX_EMOJI_PER_DAY = 1000

type Creations = {
  table: 'channels' | 'userGroups' | 'users' | 'realmEmoji'
  /** The columns with the creator and the creation time of a row. */
  by: 'creatorId' | 'botOwnerId' | 'authorId'
  at: 'createdAt' | 'joinedAt'
  /** The plural noun in the error message. */
  plural: string
}

/**
 * Refuses if `count` more rows would exceed the actor's `limit` in 24 hours. The rows of a user and their bots count
 * together.
 */
export async function requireBelowDailyLimit(
  db: Db,
  actor: Actor,
  { table, by, at, plural }: Creations,
  { count, limit, now }: { count: number; limit: number; now: number },
): Promise<void> {
  if (!hasDailyLimits(actor)) return
  const row = await db
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(by as never, 'in', (await findAccountIdsOfPerson(db, actor)) as never)
    .where(at as never, '>', (now - SECONDS_PER_DAY) as never)
    .executeTakeFirstOrThrow()
  if (row.count + count > limit) throw dailyLimitReached({ limit, plural })
}

/** Returns the ids of a user and all of their bots. If the given account is a bot, the user is its owner. */
export async function findAccountIdsOfPerson(
  db: Db,
  { id, botOwnerId }: Pick<Actor, 'id' | 'botOwnerId'>,
): Promise<number[]> {
  const personId = botOwnerId ?? id
  const bots = await db.selectFrom('users').select('id').where('botOwnerId', '=', personId).execute()
  return [personId, ...bots.map((bot) => bot.id)]
}

/** Returns whether the organization has licenses for `count` more users. */
export async function hasLicenses(db: Db, realm: Realm, count: number): Promise<boolean> {
  const { license_limit } = realm.settings
  if (license_limit === null) return true
  const row = await db
    .selectFrom('users')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('realmId', '=', realm.id)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .where('role', '!=', Role.guest)
    .executeTakeFirstOrThrow()
  return Number(row.count) + count <= license_limit
}
