import type { Migrator } from '../schema.ts'

/** Creates the table that counts the invitations of each user, for limits per user. */
export async function countInvitationsOfPeople({ createTable }: Migrator): Promise<void> {
  await createTable('inviterCounts', {
    columns: { userId: 'integer', day: 'integer', count: 'integer' },
    primaryKey: ['userId'],
    references: { userId: 'users' },
  })
}
