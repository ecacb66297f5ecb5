import { sql } from 'kysely'
import { integerAt, jsonList, realAt } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The rows of activity intervals. Activity within or soon after the latest interval of a user extends it instead of
// adding a row.

/** A period in which a user was active in their clients. */
export type ActivityInterval = { userId: number; startedAt: number; endedAt: number }

/** Seconds for which a user counts as active after each input. */
const ACTIVITY_SECONDS = 15 * 60

/** Returns the interval that one input starts. */
export function activityIntervalAt(userId: number, now: number): ActivityInterval {
  return { userId, startedAt: now, endedAt: now + ACTIVITY_SECONDS }
}

/**
 * Saves `intervals`, which must contain at most one per user. An interval that starts within the user's latest one
 * extends it.
 */
export async function saveActivity(tx: Transaction, intervals: readonly ActivityInterval[]): Promise<void> {
  if (intervals.length === 0) return
  const latest = await findLatestIntervals(tx, intervals)
  // Every node writes the rows in the same order, so that two nodes never wait for each other's rows.
  const inOrder = intervals.toSorted((one, other) => one.userId - other.userId)
  const rows = inOrder.map((interval) => {
    const previous = latest.get(interval.userId)
    if (previous === undefined || previous.endedAt < interval.startedAt) return interval
    return { ...previous, endedAt: Math.max(previous.endedAt, interval.endedAt) }
  })
  await tx
    .insertInto('activityIntervals')
    .columns(['userId', 'startedAt', 'endedAt'])
    .expression(
      jsonList(
        tx.db,
        rows.map((row) => [row.userId, row.startedAt, row.endedAt]),
      )
        .select([integerAt(0).as('userId'), realAt(1).as('startedAt'), realAt(2).as('endedAt')])
        .where(sql<boolean>`true`),
    )
    .onConflict((on) =>
      on.columns(['userId', 'startedAt']).doUpdateSet((row) => ({ endedAt: row.ref('excluded.endedAt') })),
    )
    .execute()
}

async function findLatestIntervals(
  tx: Transaction,
  intervals: readonly ActivityInterval[],
): Promise<Map<number, ActivityInterval>> {
  const rows = await latestIntervalsQuery(
    tx.db,
    intervals.map(({ userId }) => userId),
  ).execute()
  return new Map(rows.map((row) => [row.userId, row]))
}

/** Reads only one row per user, because users have thousands of rows after a year. */
export const latestIntervalsQuery = (db: Db, userIds: readonly number[]) =>
  jsonList(
    db,
    userIds.map((id) => [id]),
  )
    .innerJoin('activityIntervals', (join) =>
      join.on('userId', '=', integerAt(0)).on('startedAt', '=', (row) =>
        row
          .selectFrom('activityIntervals as own')
          .select(({ fn }) => fn.max('own.startedAt').as('startedAt'))
          .where('own.userId', '=', integerAt(0)),
      ),
    )
    .select(['userId', 'startedAt', 'endedAt'])
