import type { Migrator } from '../schema.ts'

/** Counts what each person mails, for limits of their own. */
export async function countInvitationsOfPeople({ createTable }: Migrator): Promise<void> {
  await createTable('inviterCounts', {
    columns: { userId: 'integer', day: 'integer', count: 'integer' },
    primaryKey: ['userId'],
    references: { userId: 'users' },
  })
}
