import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { UserSettings } from './settings.ts'

/** The personal settings of new accounts in an organization that differ from the server's defaults. */
type DefaultSettings = Partial<UserSettings>

const settingsOfRealm = defineCache<number, DefaultSettings>({
  dependsOn: ['defaultUserSettings'],
  limit: 1000,
  load: readDefaultSettings,
})

export function findDefaultSettings(db: Db, realmId: number): DefaultSettings | Promise<DefaultSettings> {
  return settingsOfRealm.get(db, realmId)
}

/** Reads the organization's default settings from the database, bypassing the cache. */
export async function readDefaultSettings(db: Db, realmId: number): Promise<DefaultSettings> {
  const row = await db
    .selectFrom('defaultUserSettings')
    .select('settings')
    .where('realmId', '=', realmId)
    .executeTakeFirst()
  return row === undefined ? {} : (JSON.parse(row.settings) as DefaultSettings)
}

export async function saveDefaultSettings(tx: Transaction, realmId: number, given: DefaultSettings): Promise<void> {
  const settings = JSON.stringify(given)
  await tx
    .insertInto('defaultUserSettings')
    .values({ realmId, settings })
    .onConflict((on) => on.column('realmId').doUpdateSet({ settings }))
    .execute()
}
