import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onPostgres } from '../../test/database.ts'
import { connectTo } from '../../test/nodes/node-storage.ts'
import { builtServer } from '../../test/processes/built-server.ts'
import { callServer, follow, toAda } from '../../test/processes/call-server.ts'
import { runCommand } from '../../test/processes/command.ts'
import { createOrganizationIn, startKillableServer } from '../../test/processes/killable-server.ts'
import { openTestStorage, sharedDatabaseUrl, temporaryFolder } from '../../test/storage.ts'

test('a killed server continues in another database as if nothing had happened', async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const before = await startKillableServer(folder)
  const client = await follow(before, ada)
  const { id } = await callServer(before, ada, 'POST /messages', toAda('sent before the _crossing_'))
  await before.kill()
  const url = await sharedDatabaseUrl()

  const copied = await runCommand(['database', 'copy', url], paths)
  const again = await runCommand(['database', 'copy', url], paths)

  assert.deepEqual([copied.code, copied.complaint], [0, ''])
  assert.match(copied.output, /^Copied \d+ rows in \d+ s\.\n\nStart the server with a DATABASE_URL for/)
  assert.equal(again.code, 1)
  assert.match(again.complaint, /^.* already contains organizations\. Copy into an empty database\.\n$/)

  const after = await startKillableServer(folder, { DATABASE_URL: url })
  const next = await callServer(after, ada, 'POST /messages', toAda('sent after it'))
  await client.poll(after)
  const narrow = [{ operator: 'search', operand: 'crossing' }]
  const search = { anchor: 'newest', num_before: 10, num_after: 0, narrow }
  const { messages } = await callServer(after, ada, 'GET /messages', search)
  await after.kill()
  assert.ok(next['id'] > id)
  assert.deepEqual(client.received, [id, next['id']])
  assert.deepEqual([messages.length, messages[0].id], [1, id])
})

test('a killed copy leaves everything or nothing, and can be repeated', async () => {
  const folder = await temporaryFolder()
  await createOrganizationIn(folder)
  const path = `${folder}/parley.db`
  const people = 40_000
  const full = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  full.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${people})
    insert into "presences" ("userId", "realmId", "updateId") select i + 1000, 1, i from n`)
  full.close()
  const script = await builtServer('server/cli.ts')
  const startedAt = performance.now()
  const whole = await runCommand(['database', 'copy', await sharedDatabaseUrl()], {
    DATABASE_URL: path,
    DATA_DIR: folder,
  })
  const duration = performance.now() - startedAt
  const url = await sharedDatabaseUrl()
  const found: number[] = []

  for (const share of [0.4, 0.7, 0.95]) {
    const env = { ...process.env, DATABASE_URL: path, DATA_DIR: folder }
    const child = spawn(process.execPath, [script, 'database', 'copy', url], { env, stdio: 'ignore' })
    const closed = once(child, 'close')
    await Promise.race([closed, sleep(share * duration)])
    child.kill('SIGKILL')
    await closed
    await untilUnused(url)
    await using storage = await openTestStorage({ url })
    const { count } = await storage.db
      .selectFrom('presences')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    found.push(count)
  }
  const { code, complaint } = await runCommand(['database', 'copy', url], { DATABASE_URL: path, DATA_DIR: folder })

  assert.equal(whole.code, 0)
  assert.ok(
    found.every((count) => count === 0 || count === people),
    `${found}`,
  )
  if (found.includes(people)) assert.match(complaint, /already/)
  else assert.equal(code, 0)
})

/** Waits until PostgreSQL closes the connections of killed processes, which may still commit. */
async function untilUnused(url: string): Promise<void> {
  if (!onPostgres) return
  await using sql = await connectTo(url)
  const others = 'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while ((await sql.query(others)).rows.length > 0) await sleep(20)
}

test('a database that is being served, does not exist or is empty is not copied', async () => {
  const folder = await temporaryFolder()
  await createOrganizationIn(folder)
  const server = await startKillableServer(folder)
  const copyOf = (DATABASE_URL: string, to: string) =>
    runCommand(['database', 'copy', to], { DATABASE_URL, DATA_DIR: folder })
  const [path, other] = [`${folder}/parley.db`, `${folder}/other.db`]

  const served = await copyOf(path, other)
  const absent = await copyOf(`${folder}/mistyped.db`, other)
  const itself = await copyOf(path, `${folder}/../${basename(folder)}/parley.db`)
  const inMemory = await copyOf(path, 'memory')
  await server.kill()
  await (await openTestStorage({ url: other })).close()
  const empty = await copyOf(other, path)

  const complaints = [served, absent, itself, inMemory, empty].map(({ code, complaint }) => [code, complaint])
  assert.deepEqual(complaints, [
    [1, `The database ${path} is already being served by process ${server.pid}. Stop that process first.\n`],
    [1, `There is no database at ${folder}/mistyped.db. Check DATABASE_URL.\n`],
    [1, 'DATABASE_URL names the same database. Choose another target.\n'],
    [1, 'An in-memory database is lost when this command exits. Choose a file or a PostgreSQL URL.\n'],
    [1, `${other} contains no organization: nothing to copy.\n`],
  ])
})
