import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { onPostgres } from '../../test/database.ts'
import { waitUntil } from '../../test/nodes/node-storage.ts'
import {
  closePresenceServer,
  createUsers,
  NOW,
  openPresenceServer,
  type PresenceServer,
  report,
} from '../../test/presence-server.ts'
import { sharedDatabaseUrl } from '../../test/storage.ts'

const options = { skip: !onPostgres && 'several nodes need PostgreSQL' }

/** Opens two nodes that share a database with `count` users. */
async function openNodes(count: number) {
  const url = await sharedDatabaseUrl()
  const one = await openPresenceServer(url, { isShared: true })
  const other = await openPresenceServer(url, { isShared: true })
  const people = await createUsers(one, count)
  let areOpen = true
  const close = async () => {
    if (areOpen) for (const node of [one, other]) await closePresenceServer(node)
    areOpen = false
  }
  after(close)
  const advance = async (seconds: number) => {
    for (const { clock } of [one, other]) await clock.advance(seconds)
  }
  return { url, one, other, people, advance, close }
}

const entryOf = async ({ presence }: PresenceServer, { realmId, id }: Actor) =>
  (await presence.forRealm(realmId)).find(id)

const storedIds = async ({ storage }: PresenceServer) => {
  const rows = await storage.db.selectFrom('presences').select(['userId', 'updateId']).orderBy('userId').execute()
  return new Map(rows.map(({ userId, updateId }) => [userId, updateId]))
}

test('a report that raises no event is on the boards of all nodes a second later', options, async () => {
  const { one, other, people, advance } = await openNodes(1)
  const [ada] = people as [Actor]
  await report(one, ada, 'idle')
  await waitUntil(async () => (await entryOf(other, ada))?.lastConnectedAt === NOW)

  await advance(60)
  await report(one, ada, 'idle')
  await advance(1)

  await waitUntil(async () => (await entryOf(other, ada))?.lastConnectedAt === NOW + 60)
  assert.equal((await entryOf(one, ada))?.lastConnectedAt, NOW + 60)
})

test('activity emitted by one node is not undone by a node that does not know it yet', options, async () => {
  const { one, other, people, advance } = await openNodes(1)
  const [ada] = people as [Actor]
  await report(one, ada, 'idle')
  await waitUntil(async () => (await entryOf(other, ada)) !== null)
  await advance(60)

  await Promise.all([report(one, ada, 'active'), report(other, ada, 'idle')])
  await advance(1)

  await waitUntil(async () => (await entryOf(other, ada))?.lastActiveAt === NOW + 60)
  const row = await one.storage.db.selectFrom('presences').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([row.lastActiveAt, row.lastConnectedAt], [NOW + 60, NOW + 60])
})

test('a client that switches nodes misses no change, and its update ids never decrease', options, async () => {
  const { one, other, people, advance } = await openNodes(9)
  const realmId = people[0]?.realmId as number
  const known = new Map<number, number>()
  let lastId = 0
  const poll = async ({ presence }: PresenceServer) => {
    const board = await presence.forRealm(realmId)
    const fresh = board.order.chunks.flatMap(({ entries }) => entries).filter(({ updateId }) => updateId > lastId)
    for (const { person, updateId } of fresh) {
      assert.ok(updateId > (known.get(person.id) ?? 0))
      known.set(person.id, updateId)
      lastId = Math.max(lastId, updateId)
    }
  }
  // A linear congruential generator, with the same numbers in each run.
  let seed = 1
  const draw = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const node = () => (draw(2) === 0 ? one : other)

  for (let turn = 0; turn < 150; turn++) {
    const reports = Array.from({ length: 1 + draw(3) }, () =>
      report(node(), people[draw(people.length)] as Actor, draw(2) === 0 ? 'active' : 'idle'),
    )
    if (draw(2) === 0) await Promise.all(reports)
    await Promise.all([poll(node()), ...reports, advance([0.5, 1, 60][draw(3)] as number)])
  }
  await advance(60)
  for (const person of people) await report(node(), person, 'idle')
  await advance(1)
  await waitUntil(async () => {
    await poll(other)
    return known.size === people.length && (await storedIds(one)).values().every((id) => id <= lastId)
  })

  assert.deepEqual(new Map([...known].sort(([before], [after]) => before - after)), await storedIds(one))
})

test(
  'a node writes its pending reports when it stops, and a single server continues above its ids',
  options,
  async () => {
    const { url, one, other, people, advance, close } = await openNodes(2)
    const [ada, ben] = people as [Actor, Actor]
    await report(one, ada, 'active')
    await report(other, ben, 'active')
    await advance(60)
    await report(one, ada, 'idle')
    await close()

    const alone = await openPresenceServer(url, { now: NOW + 120 })
    const stored = await entryOf(alone, ada)
    await report(alone, ben, 'idle')
    const later = await entryOf(alone, ben)
    await closePresenceServer(alone)

    assert.deepEqual([stored?.lastConnectedAt, stored?.updateId], [NOW + 60, 3])
    assert.ok((later?.updateId ?? 0) > 3)
  },
)

test('an account changed on one node is shown the same on the other', options, async () => {
  const { one, other, people } = await openNodes(1)
  const [ada] = people as [Actor]
  await report(one, ada, 'active')
  await waitUntil(async () => (await entryOf(other, ada))?.person.isActive === true)

  await one.storage.transaction((tx) => saveUserFields(tx, ada.id, { deactivatedAt: NOW }))

  await waitUntil(async () => (await entryOf(other, ada))?.person.isActive === false)
})
