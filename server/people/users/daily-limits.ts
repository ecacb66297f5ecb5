import { refusal } from '../../platform/errors/refusal.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { isAdministrator } from './role.ts'
import type { Actor } from './user.ts'

/**
 * Everybody is told of channels, groups, bots and emoji when they start, so what one person adds to them has a limit. It
 * counts what a person and their bots created in 24 hours. Administrators have none.
 */
export const dailyLimitReached = refusal(
  'BAD_REQUEST',
  400,
  'You cannot create more than {most} {things} in 24 hours. Try again later, or ask an administrator.',
)

/** How many of these a person who is no administrator creates in 24 hours. */
export const MAX_GROUPS_PER_DAY = 100
export const MAX_BOTS_PER_DAY = 100
export const MAX_EMOJI_PER_DAY = 1000

/** Seconds. */
export const DAY = 86_400

type Creations = {
  table: 'channels' | 'userGroups' | 'users' | 'realmEmoji'
  /** The columns that say who created a row, and when. */
  by: 'creatorId' | 'botOwnerId' | 'authorId'
  at: 'createdAt' | 'joinedAt'
  /** What the rows are called. */
  things: string
}

/** Refuses the actor who would create so many more than `most` in 24 hours. */
export async function requireBelowDailyLimit(
  db: Db,
  actor: Actor,
  { table, by, at, things }: Creations,
  { count, most, now }: { count: number; most: number; now: number },
): Promise<void> {
  if (isAdministrator(actor)) return
  const row = await db
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(by as never, 'in', (await findAccountIdsOfPerson(db, actor)) as never)
    .where(at as never, '>', (now - DAY) as never)
    .executeTakeFirstOrThrow()
  if (row.count + count > most) throw dailyLimitReached({ most, things })
}

/** The ids of a person and of their bots, of which the actor is one. */
export async function findAccountIdsOfPerson(
  db: Db,
  { id, botOwnerId }: Pick<Actor, 'id' | 'botOwnerId'>,
): Promise<number[]> {
  const personId = botOwnerId ?? id
  const bots = await db.selectFrom('users').select('id').where('botOwnerId', '=', personId).execute()
  return [personId, ...bots.map((bot) => bot.id)]
}
