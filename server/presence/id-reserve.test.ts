import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Actor } from '#people/users.ts'
import { waitUntil } from '../../test/nodes/node-storage.ts'
import { closePresenceServer, createUsers, openPresenceServer, report } from '../../test/presence-server.ts'
import { sharedDatabaseUrl } from '../../test/storage.ts'

test('more ids are reserved while half of them are left', async () => {
  const server = await openPresenceServer(await sharedDatabaseUrl())
  const [ada, ...others] = (await createUsers(server, 101)) as [Actor, ...Actor[]]
  const ceiling = async () => {
    const rows = await server.storage.db.selectFrom('presenceCeilings').select('ceiling').execute()
    return rows[0]?.ceiling
  }

  for (let round = 1; round <= 5; round++) {
    for (const person of others.slice(0, round === 5 ? 99 : 100)) await report(server, person, 'idle')
    await server.clock.advance(60)
  }
  const after499 = await ceiling()
  await report(server, ada, 'idle')
  await waitUntil(async () => (await ceiling()) !== after499)
  const after500 = await ceiling()
  await closePresenceServer(server)

  assert.deepEqual([after499, after500], [1000, 2000])
})
