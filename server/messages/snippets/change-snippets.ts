import { z } from 'zod'
import { refusal } from '#lib/errors/refusal.ts'
import { findTextUsage, requireTextQuota } from '#people/users/text-quota.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { deleteSnippet, findSnippet, type Snippet, saveSnippet, saveSnippetText } from './queries.ts'

export const noSuchSnippet = refusal('BAD_REQUEST', 404, 'Saved snippet does not exist.')

export const snippetJson = z.strictObject({
  id: z.int(),
  title: z.string(),
  content: z.string(),
  date_created: z.int(),
})

export function toSnippetJson({ id, title, content, createdAt }: Snippet): z.infer<typeof snippetJson> {
  return { id, title, content, date_created: Math.floor(createdAt) }
}

export async function addSnippet(
  tx: Transaction,
  actor: Actor,
  text: { title: string; content: string },
): Promise<number> {
  const snippet = await saveSnippet(tx, actor.id, text)
  await requireTextQuota(tx, 'savedSnippets', actor.id)
  tx.emit(actor.realmId, { type: 'saved_snippets', op: 'add', saved_snippet: toSnippetJson(snippet) }, [actor.id])
  return snippet.id
}

export async function changeSnippet(
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

export async function removeSnippet(tx: Transaction, actor: Actor, id: number): Promise<void> {
  if (!(await deleteSnippet(tx, actor.id, id))) throw noSuchSnippet()
  tx.emit(actor.realmId, { type: 'saved_snippets', op: 'remove', saved_snippet_id: id }, [actor.id])
}
