import type { Migrator } from '../schema.ts'

/** Creates the table of how many messages were sent on each day. */
export async function countMessagesByDay({ createTable }: Migrator): Promise<void> {
  await createTable('messageDays', {
    columns: { realmId: 'integer', day: 'integer', messages: 'integer' },
    primaryKey: ['realmId', 'day'],
  })
}
