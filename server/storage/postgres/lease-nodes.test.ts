import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { Log } from '#lib/log.ts'
import { activeSeconds } from '../../../test/active-time.ts'
import { collectLog } from '../../../test/collected-log.ts'
import { natsAbsent, openNatsProxy, startNats } from '../../../test/nats.ts'
import { cachedValue, connectTo, openNode, settingsOf, waitUntil, write } from '../../../test/nodes/node-storage.ts'
import { type BusSettings, natsSettings, options } from '../../../test/nodes/nodes.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../../test/storage.ts'
import type { Storage } from '../storage.ts'

const skip = options.skip || natsAbsent

const SECRET_KEY = 'the secret of all nodes of the tests'

const openWithLog = (url: string, bus: BusSettings, log: Log) =>
  openTestStorage({ settings: settingsOf(url, undefined, { SECRET_KEY, ...bus }), log })

/** Counts the commits that a node has learned of, by the ids that came with them. */
function countArrivals(storage: Storage): Map<number | string, number> {
  const counts = new Map<number | string, number>()
  storage.onNodeNotification('presences', (ids) => {
    for (const id of ids) if (id !== ANYTHING) counts.set(id, (counts.get(id) ?? 0) + 1)
  })
  return counts
}

const announce = ({ transaction }: Storage, id: number) => transaction(async (tx) => tx.notifyNodes('presences', [id]))

const inOrder = (counts: Map<number | string, number>) =>
  [...counts].sort(([one], [other]) => Number(one) - Number(other))

let lastValue = 0

/** Writes a value, as a revoked permission is, and requires that the other node uses it in less than four seconds. */
async function assertSeenInTime(one: Storage, other: Storage): Promise<void> {
  await cachedValue.get(other.db, 'permission')
  const value = String(++lastValue)
  await write(one, 'permission', value)
  const seconds = await activeSeconds(() =>
    waitUntil(async () => (await cachedValue.get(other.db, 'permission')) === value),
  )
  assert.ok(seconds < 4, `${seconds} s`)
}

async function announceAll(storage: Storage, from: number, to: number): Promise<void> {
  for (let id = from; id < to; id++) await announce(storage, id)
}

/** Returns what `countArrivals` finds if each of these commits has arrived once. */
const eachOnce = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => [from + at, 1] as const)

test('when one of three NATS servers is killed, then all, then they return: each commit arrives once, and in time', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const { url: NATS_URL, servers } = await startNats(3)
  const { log, entries } = collectLog()
  await using one = await openWithLog(url, { NATS_URL }, log)
  await using other = await openWithLog(url, { NATS_URL }, log)
  const arrived = countArrivals(other)

  await announceAll(one, 0, 20)
  const killing = servers[0]?.kill()
  await announceAll(one, 20, 40)
  await assertSeenInTime(one, other)
  await killing
  const killingAll = Promise.all(servers.map((server) => server.kill()))
  await announceAll(one, 40, 60)
  await assertSeenInTime(one, other)
  await killingAll
  await assertSeenInTime(one, other)
  await Promise.all(servers.map((server) => server.start()))
  await waitUntil(() => entries.some(({ message }) => /NATS is back/.test(message)))
  await announceAll(one, 60, 80)
  await assertSeenInTime(one, other)
  await waitUntil(() => arrived.size === 80)

  assert.deepEqual(inOrder(arrived), eachOnce(0, 80))
  assert.deepEqual([one, other].map((node) => node.isLeader()).sort(), [false, true])
})

test('a node that is cut off from NATS, and one that NATS cuts off because it does not read, learn of each commit once and in time', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const { url: natsUrl } = await startNats(1, 'max_payload: 131072\nmax_pending: 262144\nwrite_deadline: "1s"')
  await using wire = await openNatsProxy(natsUrl)
  const { log, entries } = collectLog()
  await using one = await openNode(url, { NATS_URL: natsUrl, SECRET_KEY })
  await using other = await openWithLog(url, { NATS_URL: wire.url }, log)
  const arrived = countArrivals(other)
  await announceAll(one, 0, 10)

  wire.silence()
  await announceAll(one, 10, 20)
  await assertSeenInTime(one, other)
  // More than the sockets in between hold, so that NATS counts the node as slow.
  const nats = await connect({ servers: new URL(natsUrl).host, user: 'parley', pass: 'secret of NATS' })
  const subject = await subjectOf(nats, one)
  for (let sent = 0; sent < 200; sent++) nats.publish(subject, new Uint8Array(100_000))
  await nats.flush()
  await nats.close()
  await waitUntil(() => wire.connections() === 0 || entries.length > 0)
  await assertSeenInTime(one, other)
  wire.restore()
  await waitUntil(() => entries.some(({ message }) => /NATS is back/.test(message)))
  await announceAll(one, 20, 30)
  await waitUntil(() => arrived.size === 30)

  assert.deepEqual(inOrder(arrived), eachOnce(0, 30))
})

/** An id that is not counted. */
const ANYTHING = -1

/** Returns the subject on which a node publishes. */
async function subjectOf(nats: NatsConnection, node: Storage): Promise<string> {
  const subscription = nats.subscribe('parley.>', { max: 1 })
  await nats.flush()
  await announce(node, ANYTHING)
  for await (const { subject } of subscription) return subject
  throw new Error('Nothing was published')
}

test('messages that NATS doubles, delays or delivers in another order are applied once, and forged ones never', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const { url: NATS_URL } = await startNats()
  await using one = await openNode(url, { NATS_URL, SECRET_KEY })
  await using other = await openNode(url, { NATS_URL, SECRET_KEY })
  const arrived = countArrivals(other)
  let outside = 0
  other.onOutsideCommit(() => {
    outside += 1
  })
  const nats = await connect({ servers: new URL(NATS_URL).host, user: 'parley', pass: 'secret of NATS' })
  const copies: { subject: string; data: Uint8Array }[] = []
  let isCopying = true
  nats.subscribe('parley.>', {
    callback(_error, { subject, data }) {
      if (!isCopying) return
      copies.push({ subject, data })
      nats.publish(subject, data)
    },
  })
  await nats.flush()

  await announceAll(one, 0, 50)
  isCopying = false
  for (const { subject, data } of copies.toReversed()) nats.publish(subject, data)
  await announceAll(one, 50, 60)
  await waitUntil(() => arrived.size === 60)
  // The next query has read all of them.
  await sleep(1200)
  for (const { subject, data } of copies) {
    const forged = Uint8Array.from(data)
    forged[20] = (forged[20] ?? 0) ^ 1
    for (const bytes of [data, forged, new Uint8Array(3)]) nats.publish(subject, bytes)
    nats.publish(`${subject}.other`, data)
  }
  await nats.flush()
  await announce(one, 60)
  await waitUntil(() => arrived.size === 61)
  await nats.close()

  assert.ok(copies.length >= 50)
  assert.equal(outside, 0)
  assert.deepEqual(inOrder(arrived), eachOnce(0, 61))
})

test('nodes of two databases do not receive the messages of each other, even with the same secret and NATS servers', {
  skip,
}, async () => {
  const { url: NATS_URL } = await startNats()
  const open = async () => openNode(await sharedDatabaseUrl(), { NATS_URL, SECRET_KEY })
  await using one = await open()
  await using other = await open()
  const nats = await connect({ servers: new URL(NATS_URL).host, user: 'parley', pass: 'secret of NATS' })

  const subjects = [await subjectOf(nats, one), await subjectOf(nats, other)]
  await nats.close()

  assert.equal(new Set(subjects).size, 2)
})

test('nodes whose tables were emptied, as by a crash of PostgreSQL, join again and read everything anew', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const bus = await natsSettings()
  await using one = await openNode(url, bus)
  await using other = await openNode(url, bus)
  await using sql = await connectTo(url)
  await cachedValue.get(other.db, 'a')
  const reread = new Promise<void>((resolve) => other.onOutsideCommit(resolve))

  await sql.query('truncate "nodes", "nodeLeader", "nodeMessages"')
  await reread
  await waitUntil(async () => (await one.isReady()) && (await other.isReady()))
  await assertSeenInTime(one, other)
  await waitUntil(() => one.isLeader() !== other.isLeader())
})

test('the leader deletes the messages that all nodes have read, and the leases of nodes that are gone', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const bus = await natsSettings()
  await using node = await openNode(url, bus)
  await using sql = await connectTo(url)
  await sql.query(
    `insert into "nodes" select 'gone', "program", 'gone', 0, "seenAt" - 60, "readUpTo" from "nodes" where "id" <> 'gone'`,
  )
  await announceAll(node, 0, 50)

  const counts = async () =>
    (
      await sql.query(
        'select (select count(*) from "nodes") as nodes, (select count(*) from "nodeMessages") as messages',
      )
    ).rows[0]
  await waitUntil(async () => {
    const { nodes, messages } = await counts()
    return nodes === '1' && messages === '0'
  })
})

test('a node that stops leaves neither its lease nor its leadership behind', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  await using sql = await connectTo(url)
  const node = await openNode(url, await natsSettings())
  await waitUntil(() => node.isLeader())

  await node.close()

  assert.deepEqual((await sql.query('select "id" from "nodes"')).rows, [])
  assert.deepEqual((await sql.query('select "node" from "nodeLeader"')).rows, [])
})

test('a command announces its commits to the nodes, with or without NATS_URL', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  const bus = await natsSettings()
  await using node = await openNode(url, bus)
  for (const SEVERAL_NODES of [true, false]) {
    const settings = { ...settingsOf(url, undefined, SEVERAL_NODES ? bus : {}), SEVERAL_NODES: false }
    await using command = await openTestStorage({ settings, serve: false })
    await assertSeenInTime(command, node)
  }
})

const refusal = (work: Promise<Storage>) =>
  work.then(
    (storage) => storage.close().then(() => 'it was let in'),
    (error: Error) => error.message,
  )

test('nodes with NATS_URL and processes without it refuse to serve one database, and older programs refuse it afterwards', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const bus = await natsSettings()
  await using sql = await connectTo(url)
  const withNats = await openNode(url, bus)
  const beside = [await refusal(openNode(url)), await refusal(openTestStorage({ url }))]
  await withNats.close()
  const without = await openNode(url)
  beside.push(await refusal(openNode(url, bus)))
  await without.close()
  const alone = await openTestStorage({ url })
  beside.push(await refusal(openNode(url, bus)))
  await alone.close()
  const { rows } = await sql.query('select max("oldestProgram") as oldest from "migrations"')
  const afterwards = await refusal(openNode(url, bus))

  for (const message of beside.slice(0, 2))
    assert.match(message, /already being served with NATS_URL by process \d+.*the same NATS_URL/)
  for (const message of beside.slice(2))
    assert.match(message, /served without NATS_URL by process \d+.*stop all nodes first/)
  assert.ok(rows[0].oldest >= 70)
  assert.equal(afterwards, 'it was let in')
})

/** Answers like a NATS server of an old version. */
async function openOldServer(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(
      'INFO {"server_id":"old","version":"1.4.1","proto":1,"host":"127.0.0.1","port":4222,"max_payload":1048576}\r\n',
    )
    socket.on('data', (data) => String(data).includes('PING') && socket.write('PONG\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `nats://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

test('wrong credentials, TLS where there is none, and an old server keep a node from starting, with the fix', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const { url: natsUrl } = await startNats()
  const { host } = new URL(natsUrl)
  await using old = await openOldServer()
  const open = (NATS_URL: string) => refusal(openNode(url, { NATS_URL, SECRET_KEY }))

  const refusals = {
    password: await open(`nats://parley:secret%20of%20no%20one@${host}`),
    none: await open(`nats://${host}`),
    tls: await open(natsUrl.replace('nats:', 'tls:')),
    file: await open(`nats://${host}?creds=/nowhere/parley.creds`),
    old: await open(old.url),
  }

  for (const name of ['password', 'none'] as const)
    assert.match(
      refusals[name],
      new RegExp(`NATS at ${host} refuses the credentials of NATS_URL .*nats://user:password@`),
    )
  assert.match(refusals.tls, /An encrypted connection to NATS at .* is not possible .*nats:\/\/ if not/)
  assert.match(refusals.file, /file with credentials in NATS_URL cannot be read: .*\/nowhere\/parley.creds/)
  assert.match(refusals.old, /has version 1\.4\.1, and Parley needs 2\.9 or later/)
  assert.ok(Object.values(refusals).every((message) => !message.includes('secret')))
})

test('a node without reachable NATS servers starts, says so, and uses them when they are there', { skip }, async () => {
  const url = await sharedDatabaseUrl()
  const { url: NATS_URL, servers } = await startNats()
  await servers[0]?.kill()
  const { log, entries } = collectLog()
  await using one = await openWithLog(url, { NATS_URL }, log)
  await using other = await openNode(url, { NATS_URL, SECRET_KEY })
  await assertSeenInTime(one, other)
  const before = entries.map(({ message }) => message)
  await servers[0]?.start()
  await waitUntil(() => entries.length > 1)
  await waitUntil(async () => {
    await assertSeenInTime(one, other)
    return other.bus()?.counts.received !== 0
  })

  assert.match(before.join(), /^No NATS server can be reached.*Check NATS_URL/)
  assert.match(entries.at(-1)?.message ?? '', /NATS is back/)
})

test('a node at other NATS servers than the rest learns of commits in time, and says once what is wrong', {
  skip,
}, async () => {
  const url = await sharedDatabaseUrl()
  const { log, errors } = collectLog()
  await using one = await openNode(url, await natsSettings())
  await using other = await openWithLog(url, { NATS_URL: (await startNats()).url }, log)

  await waitUntil(async () => {
    await assertSeenInTime(one, other)
    await sleep(100)
    return errors.length > 0
  })
  await assertSeenInTime(one, other)

  assert.equal(errors.length, 1)
  assert.match(errors[0]?.message ?? '', /none of their messages arrives over NATS.*one cluster/)
})
