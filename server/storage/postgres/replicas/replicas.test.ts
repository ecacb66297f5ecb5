import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { completeSettings, readSettings } from '#config.ts'
import { Role } from '#rules/role.ts'
import { collectLog } from '../../../../test/collected-log.ts'
import { onPostgres } from '../../../../test/database.ts'
import { startChat } from '../../../../test/harness.ts'
import { connectTo, waitUntil, write } from '../../../../test/nodes/node-storage.ts'
import { createDatabase, type Postgres, REPLICATED, startPostgres } from '../../../../test/postgres.ts'
import { openTestStorage } from '../../../../test/storage.ts'
import { inspectReplicas } from '../../inspect.ts'
import type { Storage } from '../../storage.ts'

const options = { skip: !onPostgres && 'needs PostgreSQL' }

let primary: Postgres
let standby: Postgres
before(async () => {
  if (!onPostgres) return
  primary = await startPostgres(REPLICATED)
  standby = await primary.addStandby()
})
after(async () => {
  await standby?.stop()
  await primary?.stop()
})

const settingsOf = (url: string, ...replicas: string[]) =>
  completeSettings({ ...readSettings({}), DATABASE_URL: url, DATABASE_READ_URLS: replicas.join(', ') })

/** Reads the value that `write` wrote, as a large read. */
async function findValue({ db }: Storage, name: string): Promise<string | undefined> {
  const values = db.largeReads().selectFrom('installation').select('value')
  return (await values.where('name', '=', name).executeTakeFirst())?.value
}

async function writeAndRead(storage: Storage, times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const value = String(Math.trunc(performance.now() * 1e6))
    await write(storage, 'value', value)
    assert.equal(await findValue(storage, 'value'), value)
  }
}

const readsOf = (storage: Storage) => storage.replicaReads() ?? assert.fail('There are no replicas')

/** Reads until the replica has answered another read. */
async function untilReplicaReads(storage: Storage): Promise<void> {
  const { replica: before } = readsOf(storage).counts
  await waitUntil(async () => {
    await writeAndRead(storage, 1)
    return readsOf(storage).counts.replica > before
  })
}

test('a read sees all earlier writes, at a replica or, while that is behind, at the primary', options, async () => {
  await using storage = await openTestStorage({ settings: settingsOf(primary.url, standby.url) })
  await using replica = await connectTo(standby.url)

  // A busy machine replays some of the writes too late for their reads.
  await waitUntil(async () => {
    await writeAndRead(storage, 10)
    return readsOf(storage).counts.replica > 50
  })
  await replica.query('select pg_wal_replay_pause()')
  await writeAndRead(storage, 20)
  const whilePaused = readsOf(storage).counts.primary
  const [reportOfPaused] = await inspectReplicas(settingsOf(primary.url, standby.url))
  await replica.query('select pg_wal_replay_resume()')
  await untilReplicaReads(storage)
  const reports = await inspectReplicas(settingsOf(primary.url, standby.url))

  assert.ok(whilePaused >= 20)
  assert.match(String(reportOfPaused?.problem?.reason), /behind.*: the replay is paused/)
  assert.deepEqual(
    reports.map(({ problem }) => problem),
    [null],
  )
})

test(
  'reads succeed while a replica is frozen, killed and started, and while the primary restarts',
  options,
  async () => {
    await using storage = await openTestStorage({ settings: settingsOf(primary.url, standby.url) })
    await writeAndRead(storage, 10)

    await standby.freeze()
    await write(storage, 'frozen', 'yes')
    assert.equal(await findValue(storage, 'frozen'), 'yes')
    standby.thaw()
    await untilReplicaReads(storage)
    await standby.restart()
    await writeAndRead(storage, 10)
    await untilReplicaReads(storage)
    await primary.restart()
    await waitUntil(() =>
      writeAndRead(storage, 1).then(
        () => true,
        () => false,
      ),
    )
    await untilReplicaReads(storage)
  },
)

test('a call that had to read from the primary reads everything else there, too', options, async () => {
  await using storage = await openTestStorage({ settings: settingsOf(primary.url, standby.url) })
  await using replica = await connectTo(standby.url)
  const reads = storage.db.largeReads()
  const read = () => reads.selectFrom('installation').select('value').execute()
  await replica.query('select pg_wal_replay_pause()')
  await write(storage, 'value', 'later')

  await read()
  await replica.query('select pg_wal_replay_resume()')
  await untilReplicaReads(storage)
  const before = readsOf(storage).counts
  await read()

  assert.deepEqual(readsOf(storage).counts, { ...before, primary: before.primary + 1 })
})

test('a channel that someone may no longer read stays hidden while the replica is behind', options, async (context) => {
  const settings = { DATABASE_URL: primary.url, DATABASE_READ_URLS: standby.url }
  const chat = await startChat({ settings })
  context.after(() => chat.app.close())
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const channel = await chat.channel('secret', [ada, ben], { isPrivate: true, isHistoryShared: false })
  await ada.succeed('POST /messages', { type: 'stream', to: 'secret', topic: 'plans', content: 'first' })
  const list = async () => {
    const range = {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [{ operator: 'channel', operand: channel.id }],
    }
    const found = await ben.call('GET /messages', range)
    return (found['messages'] as unknown[] | undefined)?.length ?? 0
  }
  await waitUntil(async () => (await list()) === 1 && readsOf(chat.app.storage).counts.replica > 0)
  await using replica = await connectTo(standby.url)

  await replica.query('select pg_wal_replay_pause()')
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'], principals: [ben.id] })
  const whilePaused = await list()
  await replica.query('select pg_wal_replay_resume()')

  assert.equal(whilePaused, 0)
})

test('servers that are no replicas of the database are named with the fix, and are not used', options, async () => {
  const other = await startPostgres()
  const wrongDatabase = new URL(standby.url)
  wrongDatabase.pathname = '/template1'
  const urls = [primary.url, other.url, wrongDatabase.href, 'postgres://postgres@127.0.0.1:9/postgres']
  const { log, errors } = collectLog()
  await using storage = await openTestStorage({ log, settings: settingsOf(primary.url, ...urls) })

  await writeAndRead(storage, 5)
  const reports = await inspectReplicas(settingsOf(primary.url, ...urls))
  await other.stop()

  assert.equal(readsOf(storage).counts.replica, 0)
  const expected = [/it is no standby/, /another PostgreSQL cluster/, /another database/, /ECONNREFUSED/]
  for (const [at, reason] of expected.entries()) {
    assert.match(String(reports[at]?.problem?.reason), reason)
    assert.ok(errors.some((entry) => reason.test(String(entry['reason']))))
  }
})

test('the health lists the replicas, and why one is not used', options, async (context) => {
  const url = await createDatabase(primary.url, 'health')
  const replica = new URL(standby.url)
  replica.pathname = '/health'
  const urls = [replica.href, 'postgres://postgres@127.0.0.1:9/postgres']
  const chat = await startChat({ settings: { DATABASE_URL: url, DATABASE_READ_URLS: urls.join(' ') } })
  context.after(() => chat.app.close())
  const ada = await chat.user('ada', { role: Role.owner })
  const findReplicas = async () => (await ada.succeed('GET /server/health'))['server'].replicas
  let replicas = await findReplicas()
  await waitUntil(async () => {
    replicas = await findReplicas()
    return replicas[0].lag_seconds !== null
  })

  assert.deepEqual(replicas[0].problems, [])
  assert.ok(replicas[0].lag_seconds < 60)
  assert.equal(replicas[1].name, '127.0.0.1:9')
  assert.equal(replicas[1].lag_seconds, null)
  assert.match(replicas[1].problems[0].reason, /ECONNREFUSED/)
  assert.equal(replicas[1].problems[0].process_id, process.pid)
})

test('a replica is not used any more once it is promoted', options, async () => {
  await using storage = await openTestStorage({ settings: settingsOf(primary.url, standby.url) })
  await writeAndRead(storage, 10)
  await using promoted = await connectTo(standby.url)

  await promoted.query('select pg_promote()')
  await promoted.query(`update installation set value = 'elsewhere' where name = 'value'`)
  const before = readsOf(storage).counts.replica
  await writeAndRead(storage, 10)

  assert.equal(readsOf(storage).counts.replica, before)
  await waitUntil(() => /no standby/.test(String(readsOf(storage).replicas[0]?.problem)))
})
