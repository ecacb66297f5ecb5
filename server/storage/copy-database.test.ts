import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { restartSearchIndex } from '#messages/search-index.ts'
import { startTestServer } from '#testing/test-server.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'
import { keysetPages, type Row } from './catalog.ts'
import { copyDatabase } from './copy.ts'
import { nextMessageIds } from './counters.ts'
import type { Storage } from './storage.ts'
import { type TableName, tableNames } from './tables.ts'

const finish = restartSearchIndex

/** Creates a SQLite file with several weeks of messages from a dozen people, and deletes the newest message. */
async function talkedIn(): Promise<Storage> {
  const path = `${await temporaryFolder()}/talked.db`
  const server = await startTestServer({ port: 0, database: path })
  const made = await fetch(`${server.url}/testing/organizations`, { method: 'POST', body: '{"preset":"sample"}' })
  assert.equal(made.status, 200)
  await server.close()
  const storage = await openTestStorage({ url: path })
  await storage.transaction(async (tx) => {
    const { id } = await newestMessage(storage)
    await tx.deleteFrom('messages').where('id', '=', id).execute()
  })
  return storage
}

const newestMessage = ({ db }: Storage) =>
  db.selectFrom('messages').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()

/** Returns all rows of all tables, except for data that each kind of database stores in its own way. */
async function contentsOf({ db }: Storage): Promise<Partial<Record<TableName, Row[]>>> {
  const contents: Partial<Record<TableName, Row[]>> = {}
  for (const table of tableNames) {
    const rows: Row[] = []
    if (table !== 'messageWords') for await (const page of keysetPages(db, table)) rows.push(...page)
    contents[table] = rows.filter((row) => row['name'] !== 'words' && row['name'] !== 'message')
  }
  return contents
}

/** Returns the id that the next message would have. */
async function nextId(storage: Storage): Promise<number> {
  const undo = new Error('undo')
  let given = 0
  const { id: _, ...message } = await newestMessage(storage)
  const attempt = storage.transaction(async (tx) => {
    const id = (await nextMessageIds(tx, 1))?.first
    const row = await tx
      .insertInto('messages')
      .values({ ...message, ...(id && { id }) } as never)
      .returning('id')
      .execute()
    given = row[0]?.id ?? 0
    throw undo
  })
  await assert.rejects(attempt, undo)
  return given
}

test('a copy has every row with its id, continues the ids, and can be copied back', async () => {
  await using from = await talkedIn()
  await using there = await openTestStorage({ url: await sharedDatabaseUrl() })
  await using back = await openTestStorage({ url: `${await temporaryFolder()}/back.db` })
  const progress: number[] = []

  const rows = await copyDatabase(from, there, {
    finish,
    onProgress: (copied, all) => progress.push(copied / all),
  })
  await copyDatabase(there, back, { finish })

  const original = await contentsOf(from)
  assert.ok((original.messages?.length ?? 0) > 200)
  assert.deepEqual(await contentsOf(there), original)
  assert.deepEqual(await contentsOf(back), original)
  assert.ok(rows > 1000)
  assert.equal(progress.at(-1), 1)
  const next = await nextId(from)
  assert.ok(next > (await newestMessage(from)).id + 1)
  assert.deepEqual([await nextId(there), await nextId(back)], [next, next])
})

test('existing rows are deleted, and tables continue their ids', async () => {
  await using from = await openTestStorage({ url: `${await temporaryFolder()}/small.db` })
  await using to = await openTestStorage({ url: await sharedDatabaseUrl() })
  const addRealm = async (storage: Storage, subdomain: string) => {
    const realm = { subdomain, name: subdomain, createdAt: 1, settings: '{}' }
    const rows = await storage.transaction((tx) => tx.insertInto('realms').values(realm).returning('id').execute())
    return rows[0]?.id
  }
  for (const name of ['first', 'second']) await addRealm(from, name)
  await from.transaction((tx) => tx.deleteFrom('realms').where('subdomain', '=', 'second').execute())
  for (const name of ['a', 'b', 'c', 'd']) await addRealm(to, name)

  await copyDatabase(from, to, { finish })

  assert.deepEqual(await to.db.selectFrom('realms').select('subdomain').execute(), [{ subdomain: 'first' }])
  assert.equal(await addRealm(to, 'third'), 3)
})

test('if a row has a dangling reference, nothing is copied', async () => {
  const path = `${await temporaryFolder()}/torn.db`
  await (await openTestStorage({ url: path })).close()
  const torn = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  torn.exec(`insert into "realmDomains" values (4711, 'example.com', 0)`)
  torn.close()
  await using from = await openTestStorage({ url: path })
  await using to = await openTestStorage({ url: await sharedDatabaseUrl() })

  await assert.rejects(copyDatabase(from, to, { finish }), /foreign key/i)

  assert.deepEqual(await to.db.selectFrom('realmDomains').selectAll().execute(), [])
  const references = to.transaction((tx) =>
    tx.insertInto('realmDomains').values({ realmId: 4711, domain: 'example.com', allowSubdomains: 0 }).execute(),
  )
  await assert.rejects(references, /foreign key/i)
})
