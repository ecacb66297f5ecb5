import { dayOf } from '#lib/clock.ts'
import type { Actor } from '#people/users.ts'
import { readRealmSettings } from '#realms/realm-settings.ts'
import { defineQuery, defineUnawaitedWrite } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

const mailedSince = defineQuery((db, realmId: number, day: number) =>
  db
    .selectFrom('invitationCounts')
    .select((is) => is.fn.coalesce(is.fn.sum<number>('count'), is.lit(0)).as('count'))
    .where('realmId', '=', realmId)
    .where('day', '>=', day),
)

/** Returns the number of invitations that the organization has emailed yesterday and today (UTC). */
export async function countRecentInvitations(db: Db, realmId: number, now: number): Promise<number> {
  const [row] = await mailedSince(db, realmId, dayOf(now) - 1)
  return Number(row?.count)
}

const mailedByRealmsSince = defineQuery((db, since: number, day: number) =>
  db
    .selectFrom('invitationCounts')
    .innerJoin('realms', 'realms.id', 'realmId')
    .select(['settings', 'count'])
    .where('createdAt', '>', since)
    .where('day', '=', day),
)

/**
 * Returns the number of invitations that new organizations have emailed today (UTC). It counts those of all
 * organizations that were created after `since` and whose `max_invites` is at most `maxPerRealm`.
 */
export async function countInvitationsOfNewRealms(
  db: Db,
  { since, maxPerRealm, now }: { since: number; maxPerRealm: number; now: number },
): Promise<number> {
  const rows = await mailedByRealmsSince(db, since, dayOf(now))
  const limited = rows.filter(({ settings }) => readRealmSettings(settings).max_invites <= maxPerRealm)
  return limited.reduce((sum, { count }) => sum + count, 0)
}

const addToCount = defineUnawaitedWrite('invitationCounts', (tx, realmId: number, day: number, count: number) =>
  tx
    .insertInto('invitationCounts')
    .values({ realmId, day, count })
    .onConflict((on) =>
      on
        .columns(['realmId', 'day'])
        .doUpdateSet((is) => ({ count: is('invitationCounts.count', '+', is.ref('excluded.count')) })),
    ),
)

const countOfInviter = defineQuery((db, userId: number, day: number) =>
  db.selectFrom('inviterCounts').select('count').where('userId', '=', userId).where('day', '=', day),
)

/** Returns the number of invitations that the user has emailed today (UTC). */
export async function countInvitationsOfInviter(db: Db, userId: number, now: number): Promise<number> {
  const [row] = await countOfInviter(db, userId, dayOf(now))
  return row?.count ?? 0
}

const addToCountOfInviter = defineUnawaitedWrite('inviterCounts', (tx, userId: number, day: number, count: number) =>
  tx
    .insertInto('inviterCounts')
    .values({ userId, day, count })
    .onConflict((on) =>
      on.column('userId').doUpdateSet((is) => ({
        day: is.ref('excluded.day'),
        count: is
          .case()
          .when('inviterCounts.day', '=', is.ref('excluded.day'))
          .then(is('inviterCounts.count', '+', is.ref('excluded.count')))
          .else(is.ref('excluded.count'))
          .end(),
      })),
    ),
)

/** Adds `count` to today's counts of the organization and of the inviter. */
export function saveInvitationCount(
  tx: Transaction,
  { id, realmId }: Pick<Actor, 'id' | 'realmId'>,
  count: number,
): void {
  addToCount(tx, realmId, dayOf(tx.now), count)
  addToCountOfInviter(tx, id, dayOf(tx.now), count)
}
