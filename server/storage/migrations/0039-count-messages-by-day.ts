import type { Migrator } from '../schema.ts'

/** Creates the table that counts the messages sent on each day. */
export async function countMessagesByDay({ createTable }: Migrator): Promise<void> {
  await createTable('messageDays', {
    columns: { realmId: 'integer', day: 'integer', messages: 'integer' },
    primaryKey: ['realmId', 'day'],
  })
}
