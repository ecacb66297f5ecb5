import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { completeSettings, readSettings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { systemRandom } from '#lib/secrets.ts'
import { appendEvents } from '#storage/event-log.ts'
import { openStorage, type StorageOptions } from '#storage/open-storage.ts'
import type { Storage } from '#storage/storage.ts'
import { ownDatabaseUrl, testDatabaseUrl } from './database.ts'

const temporary = new Set<string>()
after(() => Promise.all([...temporary].map((folder) => rm(folder, { recursive: true, force: true }))))

/** Opens a storage without a server, on a new database unless `url` names one. */
export async function openTestStorage(options: Partial<StorageOptions> & { url?: string } = {}): Promise<Storage> {
  const { url, settings, ...others } = options
  return openStorage({
    settings: settings ?? completeSettings({ ...readSettings({}), DATABASE_URL: url ?? (await testDatabaseUrl()) }),
    clock: systemClock(),
    random: systemRandom,
    log: openLog('silent'),
    serve: true,
    append: appendEvents,
    ...others,
  })
}

/** Returns a new folder that is deleted after the tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  temporary.add(folder)
  return folder
}

/** Returns a database that several processes can open: a new SQLite file, or a database on the PostgreSQL server. */
export async function sharedDatabaseUrl(): Promise<string> {
  return (await ownDatabaseUrl()) ?? join(await temporaryFolder(), 'parley.db')
}
