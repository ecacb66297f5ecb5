import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import type { Actor } from '#people/users.ts'
import { filledText } from '#realms/realm-settings.ts'
import { MAX_LENGTH, MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { findTextUsage, requireTextQuota, textQuotaExceeded } from './text-quota.ts'

// Saved snippets of text: rows, operations and endpoints. They are private: only the user who saved a snippet
// receives it. Their number and size are limited.

/** Text that a user saved for reuse. */
type Snippet = { id: number; title: string; content: string; createdAt: number }

const columns = ['id', 'title', 'content', 'createdAt'] as const

/** Returns the user's snippets, oldest first. */
export function findSnippets(db: Db, userId: number): Promise<Snippet[]> {
  return db.selectFrom('savedSnippets').select(columns).where('userId', '=', userId).orderBy('id').execute()
}

async function findSnippet(db: Db, userId: number, id: number): Promise<Snippet | null> {
  const row = await db
    .selectFrom('savedSnippets')
    .select(columns)
    .where('id', '=', id)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return row ?? null
}

async function saveSnippet(
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

async function saveSnippetText(tx: Transaction, { id, title, content }: Omit<Snippet, 'createdAt'>): Promise<void> {
  await tx.updateTable('savedSnippets').set({ title, content }).where('id', '=', id).execute()
}

/** Deletes the snippet. Returns false if the user has no such snippet. */
async function deleteSnippet(tx: Transaction, userId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('savedSnippets')
    .where('id', '=', id)
    .where('userId', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const noSuchSnippet = refusal('BAD_REQUEST', 404, 'Saved snippet does not exist.')

export const snippetJson = z.strictObject({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  date_created: z.int(),
})

export function toSnippetJson({ id, title, content, createdAt }: Snippet): z.infer<typeof snippetJson> {
  return { id, title, content, date_created: Math.floor(createdAt) }
}

async function addSnippet(tx: Transaction, actor: Actor, text: { title: string; content: string }): Promise<number> {
  const snippet = await saveSnippet(tx, actor.id, text)
  await requireTextQuota(tx, 'savedSnippets', actor.id)
  tx.emit(actor.realmId, { type: 'saved_snippets', op: 'add', saved_snippet: toSnippetJson(snippet) }, [actor.id])
  return snippet.id
}

async function changeSnippet(
  tx: Transaction,
  actor: Actor,
  id: number,
  changed: { title?: string | undefined; content?: string | undefined },
): Promise<void> {
  const before = await findSnippet(tx.db, actor.id, id)
  if (before === null) throw noSuchSnippet()
  const after = { ...before, title: changed.title ?? before.title, content: changed.content ?? before.content }
  if (after.title === before.title && after.content === before.content) return
  const usedSpace = await findTextUsage(tx, 'savedSnippets', actor.id)
  await saveSnippetText(tx, after)
  await requireTextQuota(tx, 'savedSnippets', actor.id, usedSpace)
  tx.emit(actor.realmId, { type: 'saved_snippets', op: 'update', saved_snippet: toSnippetJson(after) }, [actor.id])
}

async function removeSnippet(tx: Transaction, actor: Actor, id: number): Promise<void> {
  if (!(await deleteSnippet(tx, actor.id, id))) throw noSuchSnippet()
  tx.emit(actor.realmId, { type: 'saved_snippets', op: 'remove', saved_snippet_id: id }, [actor.id])
}

const title = filledText(MAX_LENGTH.snippetTitle)
const content = filledText(MAX_MESSAGE_LENGTH)

const getSnippets = endpoint({
  route: 'GET /saved_snippets',
  summary: 'List your saved snippets',
  who: 'human',
  returns: { saved_snippets: z.array(snippetJson) },
  async handle({ db, actor }) {
    return { saved_snippets: (await findSnippets(db, actor.id)).map(toSnippetJson) }
  },
})

const postSnippet = endpoint({
  route: 'POST /saved_snippets',
  summary: 'Save a snippet',
  who: 'human',
  params: { title, content },
  returns: { saved_snippet_id: z.int() },
  refuses: [textQuotaExceeded],
  async handle({ transaction, actor }, given) {
    return { saved_snippet_id: await transaction((tx) => addSnippet(tx, actor, given)) }
  },
})

const patchSnippet = endpoint({
  route: 'PATCH /saved_snippets/{saved_snippet_id}',
  summary: 'Edit a saved snippet',
  who: 'human',
  params: { title: title.optional(), content: content.optional() },
  refuses: [noSuchSnippet, textQuotaExceeded],
  async handle({ transaction, actor }, { saved_snippet_id, ...changed }) {
    await transaction((tx) => changeSnippet(tx, actor, saved_snippet_id, changed))
    return {}
  },
})

const deleteSnippetEndpoint = endpoint({
  route: 'DELETE /saved_snippets/{saved_snippet_id}',
  summary: 'Delete a saved snippet',
  who: 'human',
  refuses: [noSuchSnippet],
  async handle({ transaction, actor }, { saved_snippet_id }) {
    await transaction((tx) => removeSnippet(tx, actor, saved_snippet_id))
    return {}
  },
})

export const snippetEndpoints = [getSnippets, postSnippet, patchSnippet, deleteSnippetEndpoint]
