import type { Migrator } from '../schema.ts'
import { createAccountTables } from './0001-create-account-tables.ts'
import { createMessageTables } from './0001-create-message-tables.ts'
import { createServerTables } from './0001-create-server-tables.ts'

/** Creates the tables of the first version. */
export async function createAllTables(migrator: Migrator): Promise<void> {
  await createAccountTables(migrator)
  await createMessageTables(migrator)
  await createServerTables(migrator)
}
