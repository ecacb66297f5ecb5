import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { completeSettings, readSettings } from '#config.ts'
import type { Storage } from '#storage/storage.ts'
import { onPostgres } from '../../test/database.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import { openDatabase } from './cli-context.ts'

const LIMITS = `select "name", "setting"::integer from pg_settings
  where "name" in ('lock_timeout', 'statement_timeout', 'transaction_timeout') order by 1`

/** Returns the names of the time limits that are set for the connection. */
async function limitsOf({ db }: Storage): Promise<string[]> {
  const { rows } = await db.executeQuery<{ name: string; setting: number }>(CompiledQuery.raw(LIMITS))
  return rows.filter(({ setting }) => setting > 0).map(({ name }) => name)
}

test('statements of commands may take as long as a large organization needs, unlike those of servers', {
  skip: !onPostgres && 'needs PostgreSQL',
}, async () => {
  const url = await sharedDatabaseUrl()
  const settings = completeSettings({ ...readSettings({}), DATABASE_URL: url })
  const found: string[][] = []

  for (const serve of [false, true]) {
    await using storage = await openDatabase(settings, { serve })
    found.push(await limitsOf(storage))
  }
  await using server = await openTestStorage({ url })
  found.push(await limitsOf(server))

  assert.deepEqual(found.slice(0, 2), [[], []])
  assert.ok(found[2]?.includes('lock_timeout') && found[2].includes('statement_timeout'), String(found[2]))
})
