import type { Db, Transaction } from '#storage/storage.ts'

/** Text that a user saved for reuse. */
export type Snippet = { id: number; title: string; content: string; createdAt: number }

const columns = ['id', 'title', 'content', 'createdAt'] as const

/** Returns the user's snippets, oldest first. */
export function findSnippets(db: Db, userId: number): Promise<Snippet[]> {
  return db.selectFrom('savedSnippets').select(columns).where('userId', '=', userId).orderBy('id').execute()
}

export async function findSnippet(db: Db, userId: number, id: number): Promise<Snippet | null> {
  const row = await db
    .selectFrom('savedSnippets')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row ?? null
}

export async function saveSnippet(
  tx: Transaction,
  userId: number,
  text: { title: string; content: string },
): Promise<Snippet> {
  return tx
    .insertInto('savedSnippets')
    .values({ userId, ...text, createdAt: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function saveSnippetText(
  tx: Transaction,
  { id, title, content }: Omit<Snippet, 'createdAt'>,
): Promise<void> {
  await tx.updateTable('savedSnippets').set({ title, content }).where('id', '=', id).execute()
}

/** Deletes the snippet. Returns false if the user has no such snippet. */
export async function deleteSnippet(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('savedSnippets')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
