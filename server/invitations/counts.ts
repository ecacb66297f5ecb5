import type { Db, Transaction } from '../storage/storage.ts'

const SECONDS_PER_DAY = 86_400

/** UTC days since 1970. */
const dayOf = (time: number) => Math.floor(time / SECONDS_PER_DAY)

/** How many invitations the organization mailed today and yesterday (UTC). */
export async function countRecentInvitations(db: Db, realmId: number, now: number): Promise<number> {
  const row = await db
    .selectFrom('invitationCounts')
    .select((is) => is.fn.coalesce(is.fn.sum<number>('count'), is.lit(0)).as('count'))
    .where('realmId', '=', realmId)
    .where('day', '>=', dayOf(now) - 1)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** How many invitations the organizations founded since `since` mailed today (UTC), all together. */
export async function countInvitationsOfNewRealms(db: Db, since: number, now: number): Promise<number> {
  const row = await db
    .selectFrom('invitationCounts')
    .innerJoin('realms', 'realms.id', 'realmId')
    .select((is) => is.fn.coalesce(is.fn.sum<number>('count'), is.lit(0)).as('count'))
    .where('createdAt', '>', since)
    .where('day', '=', dayOf(now))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Adds to what was mailed today. */
export async function saveInvitationCount(tx: Transaction, realmId: number, count: number): Promise<void> {
  await tx
    .insertInto('invitationCounts')
    .values({ realmId, day: dayOf(tx.now), count })
    .onConflict((on) =>
      on.columns(['realmId', 'day']).doUpdateSet((is) => ({ count: is('invitationCounts.count', '+', count) })),
    )
    .execute()
}
