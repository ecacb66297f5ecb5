import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { saveUserSettings } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'
import { onPostgres } from '../../test/database.ts'
import { waitUntil } from '../../test/nodes/node-storage.ts'
import { A_WHILE } from '../../test/open-transaction.ts'
import {
  closePresenceServer,
  createUsers,
  NOW,
  openPresenceServer,
  type PresenceServer,
  report,
} from '../../test/presence-server.ts'
import { sharedDatabaseUrl } from '../../test/storage.ts'
import type { RealmBoard } from './board.ts'
import { applySharingChange } from './change-presence.ts'

const options = { skip: !onPostgres && 'several nodes need PostgreSQL' }

/** The times of a user who stops sharing are set to this many seconds ago. */
const AGO = 265

/** Opens two nodes that share a database with one user. */
async function openNodes() {
  const url = await sharedDatabaseUrl()
  const one = await openPresenceServer(url, { isShared: true })
  const other = await openPresenceServer(url, { isShared: true })
  after(async () => {
    for (const node of [one, other]) await closePresenceServer(node)
  })
  const [ada] = (await createUsers(one, 1)) as [Actor]
  const advance = async (seconds: number) => {
    for (const { clock } of [one, other]) await clock.advance(seconds)
  }
  return { one, other, ada, advance }
}

const entryOf = async ({ presence }: PresenceServer, { realmId, id }: Actor) =>
  (await presence.forRealm(realmId)).find(id)

async function share(
  { storage, presence }: PresenceServer,
  person: Actor,
  isSharing: boolean,
  board: RealmBoard,
  transaction = storage.transaction,
) {
  await transaction(async (tx) => {
    await saveUserSettings(tx, person.id, { presence_enabled: isSharing })
    await applySharingChange(tx, { presence, board }, person, isSharing)
  })
}

/** Returns a function that runs transactions of the node. Each stays open after its work until `other` has waited a while. */
function openWhile({ storage }: PresenceServer, other: () => Promise<unknown>) {
  let waiting: Promise<unknown> = Promise.resolve()
  return {
    async transaction<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
      return storage.transaction(async (tx) => {
        const result = await work(tx)
        waiting = other()
        await Promise.race([waiting, sleep(A_WHILE)])
        return result
      })
    },
    settled: () => waiting,
  }
}

async function storedTimes({ storage }: PresenceServer) {
  const rows = await storage.db.selectFrom('presences').selectAll().execute()
  return rows.map(({ lastActiveAt, lastConnectedAt, updateId }) => [lastActiveAt, lastConnectedAt, updateId])
}

async function storedCeiling({ storage }: PresenceServer) {
  return (await storage.db.selectFrom('presenceCeilings').select('ceiling').executeTakeFirst())?.ceiling
}

/** Returns the timestamps of all presences in events. */
async function emittedTimes({ events }: PresenceServer, { realmId }: Actor) {
  const all = await events(realmId)
  return all.map(({ event }) => (event as EmittedOfType<'presence'>).presence.website.timestamp)
}

test(
  'a report that one node has not written yet is dropped when its user stops sharing on another',
  options,
  async () => {
    const { one, other, ada, advance } = await openNodes()
    await report(one, ada, 'active')
    await waitUntil(async () => (await entryOf(other, ada)) !== null)
    await advance(60)
    await report(one, ada, 'active')

    await share(other, ada, false, await other.presence.forRealm(ada.realmId))
    await advance(1)

    const since = NOW + 60 - AGO
    assert.deepEqual(await storedTimes(one), [[since, since, 2]])
    assert.equal(await storedCeiling(one), 2)
    assert.deepEqual(one.presence.findLatest(await one.presence.forRealm(ada.realmId), ada.id)?.lastConnectedAt, since)
  },
)

test(
  'a user who stops sharing while another node emits that they are online is emitted as offline',
  options,
  async () => {
    const { one, other, ada } = await openNodes()
    const board = await other.presence.forRealm(ada.realmId)
    await report(one, ada, 'active')

    await share(other, ada, false, board)

    assert.deepEqual(await storedTimes(one), [[NOW - AGO, NOW - AGO, 2]])
    assert.deepEqual(await emittedTimes(one, ada), [NOW, NOW - AGO])
  },
)

test(
  'reports that a node has not written yet count when their user stops sharing on that node, and are not written later',
  options,
  async () => {
    const { one, ada, advance } = await openNodes()
    await report(one, ada, 'idle')
    await advance(300)
    await report(one, ada, 'idle')

    await share(one, ada, false, await one.presence.forRealm(ada.realmId))
    await advance(1)

    assert.deepEqual(await storedTimes(one), [[null, NOW + 300 - AGO, 2]])
    assert.deepEqual(await emittedTimes(one, ada), [NOW, NOW + 300 - AGO])
  },
)

test(
  'a report of a user who stopped sharing before the node noticed is neither emitted nor written',
  options,
  async () => {
    const { one, other, ada, advance } = await openNodes()
    await share(other, ada, false, await other.presence.forRealm(ada.realmId))

    await report(one, ada, 'active')
    await advance(1)

    assert.deepEqual(await storedTimes(one), [])
    assert.deepEqual(await emittedTimes(one, ada), [])
  },
)

test('a user who starts sharing where an older report is known is active at that moment', options, async () => {
  const { one, other, ada, advance } = await openNodes()
  await report(one, ada, 'active')
  const board = await other.presence.forRealm(ada.realmId)
  await advance(20)
  await share(one, ada, false, await one.presence.forRealm(ada.realmId))

  await share(other, ada, true, board)
  await advance(1)

  assert.deepEqual(await storedTimes(one), [[NOW + 20, NOW + 20, 3]])
})

test('a report waits while another node saves that its user stops sharing', options, async () => {
  const { one, other, ada, advance } = await openNodes()
  const stopping = openWhile(other, () => report(one, ada, 'active'))

  await share(other, ada, false, await other.presence.forRealm(ada.realmId), stopping.transaction)
  await stopping.settled()
  await advance(1)

  assert.deepEqual(await storedTimes(one), [])
  assert.deepEqual(await emittedTimes(one, ada), [])
})

test('a user who stops sharing waits for a report that another node is saving', options, async () => {
  const { one, other, ada } = await openNodes()
  const board = await other.presence.forRealm(ada.realmId)
  const reporting = openWhile(one, () => share(other, ada, false, board))

  await report(one, ada, 'active', reporting.transaction)
  await reporting.settled()

  assert.deepEqual(await storedTimes(one), [[NOW - AGO, NOW - AGO, 2]])
  assert.deepEqual(await emittedTimes(one, ada), [NOW, NOW - AGO])
})
