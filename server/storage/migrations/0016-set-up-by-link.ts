import type { Migrator } from '../schema.ts'

/** Creates the table of the links by which the first organization is set up in a browser. */
export async function setUpByLink({ createTable }: Migrator): Promise<void> {
  await createTable('setupLinks', {
    columns: { hash: 'text', expiresAt: 'real', draft: 'text' },
    primaryKey: ['hash'],
  })
}
