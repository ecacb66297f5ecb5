import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { onPostgres } from '../../test/database.ts'
import { startChat } from '../../test/harness.ts'
import { latestIntervalsQuery } from './activity-queries.ts'

// PostgreSQL's query plan depends on the number of intervals.
test("a user's latest interval is found without reading the others", {
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
      // SQLite reads one row for the maximum of the last column of an index.
      'SEARCH own USING PRIMARY KEY (userId=?)',
    ],
  )
})
