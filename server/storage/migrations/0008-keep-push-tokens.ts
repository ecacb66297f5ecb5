import type { Migrator } from '../schema.ts'

/** Creates the table of the devices that registered for push notifications. */
export async function keepPushTokens({ createTable }: Migrator): Promise<void> {
  await createTable('pushTokens', {
    columns: { userId: 'integer', service: 'text', token: 'text', appId: 'text?', addedAt: 'real' },
    primaryKey: ['userId', 'service', 'token'],
    references: { userId: 'users' },
    hasLongRows: true,
  })
}
