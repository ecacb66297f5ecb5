import type { Db, Transaction } from '#storage/storage.ts'
import type { Draft, DraftType } from './draft.ts'

type Row = { id: number; type: string; recipientIds: string; topic: string; content: string; editedAt: number }

const columns = ['id', 'type', 'recipientIds', 'topic', 'content', 'editedAt'] as const

const toDraft = (row: Row): Draft => ({
  ...row,
  type: row.type as DraftType,
  recipientIds: JSON.parse(row.recipientIds) as number[],
})

const toRow = ({ type, recipientIds, topic, content, editedAt }: Omit<Draft, 'id'>) => ({
  type,
  recipientIds: JSON.stringify(recipientIds),
  topic,
  content,
  editedAt,
})

/** Returns the user's drafts, ordered by the time of their last edit, newest last. */
export async function findDrafts(db: Db, userId: number): Promise<Draft[]> {
  const rows = await db
    .selectFrom('drafts')
    .select(columns)
    .where('userId', '=', userId)
    .orderBy('editedAt')
    .orderBy('id')
    .execute()
  return rows.map(toDraft)
}

export async function saveNewDraft(tx: Transaction, userId: number, draft: Omit<Draft, 'id'>): Promise<Draft> {
  const { id } = await tx
    .insertInto('drafts')
    .values({ userId, ...toRow(draft) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, ...draft }
}

/** Saves the changed draft. Returns false if the user has no such draft. */
export async function saveDraft(tx: Transaction, userId: number, { id, ...draft }: Draft): Promise<boolean> {
  const row = await tx
    .updateTable('drafts')
    .set(toRow(draft))
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes the draft. Returns false if the user has no such draft. */
export async function deleteDraft(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('drafts')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
