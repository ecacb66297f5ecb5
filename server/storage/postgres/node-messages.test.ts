import assert from 'node:assert/strict'
import { anyEvent } from '../../../test/any-event.ts'
import { openDatabaseProxy } from '../../../test/database-proxy.ts'
import { takeDatabaseLock } from '../../../test/nodes/database-lock.ts'
import { cachedValue, connectTo, openNode, waitUntil, write } from '../../../test/nodes/node-storage.ts'
import { testNodes } from '../../../test/nodes/nodes.ts'
import { sharedDatabaseUrl } from '../../../test/storage.ts'

testNodes(
  'the other nodes receive each commit: its tables, the organizations with events, and the notified ids',
  async (bus) => {
    const url = await sharedDatabaseUrl()
    await using one = await openNode(url, bus)
    await using other = await openNode(url, bus)
    const received: unknown[] = []
    const unknown: unknown[] = []
    other.onCommit(({ written, changed, emittedIn }) =>
      received.push([[...written].sort(), [...changed], [...emittedIn.keys()]]),
    )
    other.onNodeNotification('queues-ended', (ids) => received.push(ids))
    other.onNodeNotification('queues-taken', (ids) => received.push(ids))
    for (const storage of [one, other]) storage.onOutsideCommit(() => unknown.push('anything'))
    one.onNodeNotification('queues-ended', () => received.push('of itself'))

    await one.transaction(async (tx) => {
      await tx.updateTable('installation').set({ value: 'x' }).execute()
      tx.emit(7, anyEvent('hello'), [1])
      tx.notifyNodes('queues-ended', ['a'])
      tx.notifyNodes('queues-ended', ['b'])
    })
    await waitUntil(() => received.length === 2)
    await one.transaction(async (tx) => void (await tx.db.selectFrom('users').selectAll().execute()))
    await one.transaction(async (tx) => tx.notifyNodes('queues-taken', ['last']))
    await waitUntil(() => received.length >= 4)

    assert.deepEqual(received, [
      [['counters', 'events', 'installation'], ['installation', 'counters'], [7]],
      ['a', 'b'],
      [[], [], []],
      ['last'],
    ])
    assert.deepEqual(unknown, [])
  },
)

testNodes('a message that is too long is received as a commit to any table', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url, bus)
  await using other = await openNode(url, bus)
  const received = new Promise<void>((resolve) => other.onOutsideCommit(resolve))

  const ids = Array.from({ length: 20_000 }, (_, at) => `queue-${at}`)
  await one.transaction(async (tx) => tx.notifyNodes('queues-ended', ids))

  await received
})

testNodes(
  'an event that is published without a commit reaches each node that follows its organization once; one that is too long is in the log instead',
  async (bus) => {
    const url = await sharedDatabaseUrl()
    await using one = await openNode(url, bus)
    await using other = await openNode(url, bus)
    const received: unknown[] = []
    const emittedIn: unknown[] = []
    for (const storage of [one, other])
      storage.onPublished(({ realmId, event, audience }) => received.push([realmId, event, audience]))
    other.onCommit((commit) => emittedIn.push(...commit.emittedIn.keys()))
    await other.followEvents(7)

    one.publish(7, anyEvent('hello', { text: '\0 \u{1f600}' }), new Set([2, 1]))
    one.publish(7, anyEvent('to nobody'), [])
    one.publish(8, anyEvent('long', { text: 'x'.repeat(200_000) }), [1])
    await waitUntil(() => emittedIn.length > 0)

    const hello = [7, { type: 'hello', text: '\0 \u{1f600}' }, [2, 1]]
    assert.deepEqual(received, [hello, hello])
    assert.deepEqual(emittedIn, [8])
    const rows = await other.db.selectFrom('events').select(['realmId', 'type']).execute()
    assert.deepEqual(rows, [{ realmId: 8, type: 'long' }])
  },
)

testNodes('a cached value is dropped when another node has written its table', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using one = await openNode(url, bus)
  await using other = await openNode(url, bus)
  await write(one, 'a', '1')
  await waitUntil(async () => (await cachedValue.get(other.db, 'a')) === '1')

  await write(one, 'a', '2')

  await waitUntil(() => cachedValue.peek(other.db, 'a') === undefined)
  assert.equal(await cachedValue.get(other.db, 'a'), '2')
})

testNodes('a node that receives no messages bypasses its caches and writes nothing', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using node = await openNode(url, bus)
  await using sql = await connectTo(url)
  await write(node, 'a', '1')
  await cachedValue.get(node.db, 'a')
  const unheard = new Promise<void>((resolve) => node.onOutsideCommit(resolve))

  const letIn = await takeDatabaseLock(url)
  await waitUntil(() => !node.db.commitCounters.isComplete)
  await sql.query(`update installation set value = '2' where name = 'a'`)
  const kept = cachedValue.peek(node.db, 'a')
  const read = await cachedValue.get(node.db, 'a')
  const isReady = await node.isReady()
  const written = await write(node, 'a', '3').catch((error) => error.message)
  await letIn()
  await unheard
  await write(node, 'a', '4')

  assert.deepEqual([kept, read, isReady], [undefined, '2', false])
  assert.match(written, /lock on the database was lost/)
  assert.equal(await cachedValue.get(node.db, 'a'), '4')
  // Once it has read the number of the last change of recipients, the node empties its caches again.
  await waitUntil(async () => (await cachedValue.get(node.db, 'a')) === cachedValue.peek(node.db, 'a'))
})

testNodes('a silently dropped connection is noticed and replaced', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using wire = await openDatabaseProxy(url)
  await using one = await openNode(url, bus)
  await using other = await openNode(wire.url, bus)
  const received = new Promise((resolve) => other.onCommit(resolve))
  await write(one, 'a', '1')
  await received
  await cachedValue.get(other.db, 'a')

  wire.silence({ of: 'locks' })
  await write(one, 'a', '2')
  assert.ok(cachedValue.peek(other.db, 'a') === '1' || !other.db.commitCounters.isComplete)
  await waitUntil(async () => (await cachedValue.get(other.db, 'a')) === '2')
  await waitUntil(() => other.db.commitCounters.isComplete)
  await write(one, 'a', '3')
  await waitUntil(async () => (await cachedValue.get(other.db, 'a')) === '3')

  assert.equal(await other.isReady(), true)
})

testNodes('a new connection that gets no answer is replaced by another', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using wire = await openDatabaseProxy(url)
  await using node = await openNode(wire.url, bus)
  await node.isReady()

  wire.swallow(true)
  wire.silence({ of: 'locks' })
  await waitUntil(() => wire.swallowed() > 0)
  wire.swallow(false)
  await waitUntil(() => node.db.commitCounters.isComplete)

  assert.equal(await node.isReady(), true)
})
