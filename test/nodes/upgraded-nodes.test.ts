import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEWEST } from '#storage/migrations.ts'
import { freePort } from '../free-port.ts'
import { haproxyAbsent, startHaproxy } from '../haproxy.ts'
import { callServer, follow, inOrder, isBusy, readAnswer, toAda } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../storage.ts'
import { startVersitygw, versitygwAbsent } from '../versitygw.ts'
import { makeNextVersion } from './next-version.ts'
import { options, prepareNodes } from './nodes.ts'

/** Statements that add to tables that each request reads, and a table. */
const ADDITIONS = [
  'alter table "users" add column "nickname" text collate "C"',
  'alter table "messages" add column "isTest" bigint not null default 0',
  'alter table "subscriptions" add column "isTest" bigint not null default 0',
  'alter table "eventQueues" add column "isTest" bigint not null default 0',
  'create table "nicknames" ("userId" bigint primary key, foreign key ("userId") references "users" ("id") on delete cascade)',
]

/** The nodes share a bucket and no folder, if the store is there. */
const inStore = async () => ({
  ...(await startVersitygw()).environment(),
  SECRET_KEY: 'a secret of thirty-two characters',
})

const SENDERS = 4
const FOLLOWERS = 3

/** The messages that arrive between two replacements of a node. */
const BETWEEN = sized(20, 1000)

test('three nodes are replaced one by one by a version with more columns, while people send and follow: no request fails and nothing is lost', {
  skip: options.skip || haproxyAbsent,
}, async () => {
  const store = versitygwAbsent ? {} : await inStore()
  const nodes = await prepareNodes(['ada', 'ben'], { EXTERNAL_URL: 'http://localhost', ...store })
  const [ada, ben] = nodes.signatures as [string, string]
  const next = await makeNextVersion(ADDITIONS)
  const ports = [await freePort(), await freePort(), await freePort()]
  const startAt = async (port: number, script?: string) => {
    const ownFolder: Record<string, string> = versitygwAbsent ? {} : { DATA_DIR: await temporaryFolder() }
    return nodes.start({ PORT: String(port), ...ownFolder }, script)
  }
  const running = await Promise.all(ports.map((port) => startAt(port)))
  const proxy = { url: await startHaproxy(ports) } as KillableServer
  const followers = await Promise.all(Array.from({ length: FOLLOWERS }, () => follow(proxy, ada)))
  const [failed, sent] = [[] as unknown[], [] as number[]]
  let isOver = false
  const keep = async (work: () => Promise<{ status: number }>) => {
    while (!isOver) {
      const answer = await work().catch((error) => ({ status: 0, error: String(error.cause ?? error) }))
      if (answer.status !== 200 && !isBusy(answer)) failed.push(answer)
    }
  }
  const send = async () => {
    const answer = await callServer(proxy, ben, 'POST /messages', toAda('hello'))
    if (answer.status === 200) sent.push(answer['id'])
    return answer
  }
  const upload = async () => {
    const body = new FormData()
    body.append('file', new Blob(['x'.repeat(100_000)]), 'a.txt')
    const headers = { authorization: ada }
    const answer = await readAnswer(await fetch(`${proxy.url}/api/v1/user_uploads`, { method: 'POST', headers, body }))
    return answer.status === 200 ? readAnswer(await fetch(`${proxy.url}${answer['url']}`, { headers })) : answer
  }
  const report = () => callServer(proxy, ada, 'POST /users/me/presence', { status: 'active', new_user_input: true })
  const untilReceived = async (count: number) => {
    const target = sent.length + count
    while (sent.length < target) await new Promise(setImmediate)
  }

  const busy = [...Array.from({ length: SENDERS }, () => keep(send)), keep(report), keep(upload)]
  busy.push(keep(() => callServer(proxy, ada, 'GET /messages', { anchor: 'newest', num_before: 20, num_after: 0 })))
  const following = followers.map((follower) => keep(() => follower.poll(proxy)))
  await untilReceived(BETWEEN)
  const codes: number[] = []
  for (const [at, port] of ports.entries()) {
    codes.push(await (running[at] as KillableServer).stop())
    running[at] = await startAt(port, next)
    await untilReceived(BETWEEN)
  }
  isOver = true
  await Promise.all(busy)
  await send()
  await Promise.all(following)
  for (const follower of followers) while (follower.received.length < sent.length) await follower.poll(proxy)
  const { rows } = await nodes.sql.query('select max("number") as last from migrations')

  assert.deepEqual(failed, [])
  assert.deepEqual(codes, [0, 0, 0])
  assert.equal(Number(rows[0].last), NEWEST + 1)
  for (const { received } of followers) assert.deepEqual(received, inOrder(sent))
  for (const node of running) assert.equal(await node.stop(), 0)
})

test(
  'a version whose migration older nodes cannot bear is refused while they serve, and starts when they have stopped',
  options,
  async () => {
    const nodes = await prepareNodes(['ada'])
    const next = await makeNextVersion(['update "users" set "fullName" = upper("fullName")'], NEWEST + 1)
    const names = async () => (await nodes.sql.query('select "fullName" from "users" order by "id"')).rows
    const older = await nodes.start()
    const before = await names()

    await assert.rejects(nodes.start({}, next), /with code 1/)
    const afterwards = await names()
    await older.stop()
    const newer = await nodes.start({}, next)
    const migrated = await names()
    await assert.rejects(nodes.start(), /with code 78/)
    await newer.stop()

    assert.deepEqual(afterwards, before)
    assert.notDeepEqual(migrated, before)
  },
)
