import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { defineCache } from '#storage/cache.ts'
import type { Storage } from '#storage/storage.ts'
import { openTestStorage } from '../storage.ts'
import type { BusSettings } from './nodes.ts'

/** The settings of one of several nodes; `bus` says how they reach each other. */
export const settingsOf = (DATABASE_URL: string, DATA_DIR = '/nowhere', bus: BusSettings = {}): Settings =>
  completeSettings({ ...readSettings({}), ...bus, DATABASE_URL, SEVERAL_NODES: true, DATA_DIR })

/** Opens the storage of one of several nodes. */
export const openNode = (url: string, bus?: BusSettings): Promise<Storage> =>
  openTestStorage({ settings: settingsOf(url, undefined, bus) })

/** The value that `write` wrote under a name, as cached by the node. */
export const cachedValue = defineCache<string, string | null>({
  dependsOn: ['installation'],
  limit: 10,
  async load(db, name) {
    const row = await db.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value ?? null
  },
})

export async function write({ transaction }: Storage, name: string, value: string): Promise<void> {
  await transaction((tx) =>
    tx
      .insertInto('installation')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  )
}

/** Waits until the condition holds, however slow the machine is: the runner ends a file that takes too long. */
export async function waitUntil(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10)
}

/** Connects to the database directly, without a node. */
export async function connectTo(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
