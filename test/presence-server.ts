import assert from 'node:assert/strict'
import { completeSettings, readSettings } from '#config.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { findRealmUsers, saveUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { PresenceBoard } from '#presence/board.ts'
import { reportPresence } from '#presence/change-presence.ts'
import { openPresenceBoard } from '#presence/open-board.ts'
import type { PresenceStatus } from '#presence/presence.ts'
import { findRealm } from '#realms/queries.ts'
import type { RunTransaction, Storage } from '#storage/storage.ts'
import { recordEvents } from './recorded-events.ts'
import { openTestStorage } from './storage.ts'

/** The initial time of the servers' clocks. */
export const NOW = 1_893_837_600

export type PresenceServer = {
  storage: Storage
  presence: PresenceBoard
  clock: TestClock
  events: ReturnType<typeof recordEvents>
}

/**
 * Opens the presence part of a server on the database at `url`. Without `serve` it runs beside a serving process; with
 * `isShared` it is one of several nodes.
 */
export async function openPresenceServer(
  url: string,
  { serve = true, now = NOW, isShared = false } = {},
): Promise<PresenceServer> {
  const clock = testClock(now)
  const log = openLog('silent')
  const settings = completeSettings({ ...readSettings({}), DATABASE_URL: url, SEVERAL_NODES: isShared })
  const storage = await openTestStorage({ settings, clock, log, serve })
  return { storage, clock, presence: openPresenceBoard({ storage, clock, log }), events: recordEvents(storage) }
}

export async function closePresenceServer({ storage, presence }: PresenceServer): Promise<void> {
  await presence.close()
  await storage.close()
}

/** Creates an organization with the given number of users. */
export async function createUsers({ storage }: PresenceServer, count: number): Promise<Actor[]> {
  const { id } = await storage.transaction(async (tx) => {
    const realm = await createOrganization(tx, '', 'Example')
    for (let more = 0; more < count; more++) {
      const deliveryEmail = `u${more}@example.com`
      await saveUser(tx, { realmId: realm.id, deliveryEmail, fullName: 'U', role: 400, joinedAt: NOW - 1000 })
    }
    return realm
  })
  const realm = await findRealm(storage.db, id)
  assert(realm !== null)
  return (await findRealmUsers(storage.db, id)).map((user) => ({ ...user, realm }))
}

export const report = (
  { storage, presence, clock }: PresenceServer,
  person: Actor,
  status: PresenceStatus,
  transaction: RunTransaction = storage.transaction,
): Promise<void> => reportPresence({ ...storage, transaction, presence }, person, status, clock.now())
