import type { Migrator } from '../schema.ts'

export async function createZoomTokens({ createTable }: Migrator): Promise<void> {
  await createTable('zoomTokens', {
    columns: { userId: 'integer', tokens: 'text' },
    primaryKey: ['userId'],
    belongsTo: { userId: 'users' },
  })
}
