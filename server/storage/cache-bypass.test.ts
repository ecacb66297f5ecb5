import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { findRealmBySubdomain, saveRealm } from '#realms/queries.ts'
import { onPostgres, testDatabaseUrl } from '../../test/database.ts'
import { openTestStorage } from '../../test/storage.ts'
import { bypassCaches } from './cache.ts'

const skip = !onPostgres && 'on SQLite this process knows of every commit'

test('commits of others are read before their announcement arrives', { skip }, async () => {
  const url = await testDatabaseUrl()
  await using storage = await openTestStorage({ url })
  await storage.transaction((tx) => saveRealm(tx, { subdomain: 'tea', name: 'Before' }))
  await findRealmBySubdomain(storage.db, 'tea')
  const others = new pg.Client({ connectionString: url })
  await others.connect()
  await others.query(`update "realms" set "name" = 'After' where "subdomain" = 'tea'`)
  await others.end()

  const [kept, afresh] = await storage.transaction(async (tx) => {
    const before = await findRealmBySubdomain(tx.db, 'tea')
    bypassCaches(tx)
    return [before, await findRealmBySubdomain(tx.db, 'tea')]
  })

  assert.deepEqual([kept?.name, afresh?.name], ['Before', 'After'])
})
