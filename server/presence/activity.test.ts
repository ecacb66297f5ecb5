import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'
import { latestIntervalsQuery } from './activity.ts'

// How PostgreSQL goes about it depends on how many intervals there are.
test("somebody's latest interval is found without a look at their others", {
  skip: onPostgres && 'SQLite alone',
}, async () => {
  const { db } = (await startChat()).app.services

  const { sql, parameters } = latestIntervalsQuery(db, [1]).compile()

  const plan = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  assert.deepEqual(
    plan.rows.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH')),
    [
      'SEARCH activityIntervals USING PRIMARY KEY (userId=? AND startedAt=?)',
      // Of an index that ends with the column, SQLite reads one row for the highest.
      'SEARCH own USING PRIMARY KEY (userId=?)',
    ],
  )
})
