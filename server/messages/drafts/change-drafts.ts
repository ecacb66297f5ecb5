import { viewerOf } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { findTextUsage, requireTextQuota } from '#people/users/text-quota.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'
import { toDraftJson } from './draft.ts'
import { deleteDraft, findDrafts, saveDraft, saveNewDraft } from './queries.ts'
import { type DraftRequest, requireDraft } from './require-draft.ts'

export const noSuchDraft = refusal('BAD_REQUEST', 404, 'Draft does not exist')
export const notSynchronized = refusal('BAD_REQUEST', 400, 'User has disabled synchronizing drafts.')

/** Emits all drafts to the actor after synchronization was turned on. */
export async function emitAllDrafts(tx: Transaction, actor: Actor): Promise<void> {
  const drafts = await findDrafts(tx.db, actor.id)
  if (drafts.length === 0) return
  tx.emit(actor.realmId, { type: 'drafts', op: 'add', drafts: drafts.map(toDraftJson) }, [actor.id])
}

/** Saves all drafts or none. Returns their ids in the same order. */
export async function addDrafts(tx: Transaction, actor: Actor, requests: readonly DraftRequest[]): Promise<number[]> {
  requireSynchronized(actor)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const drafts = []
  for (const request of requests) drafts.push(await saveNewDraft(tx, actor.id, await requireDraft(viewer, request)))
  if (drafts.length === 0) return []
  await requireTextQuota(tx, 'drafts', actor.id)
  tx.emit(actor.realmId, { type: 'drafts', op: 'add', drafts: drafts.map(toDraftJson) }, [actor.id])
  return drafts.map((draft) => draft.id)
}

export async function changeDraft(tx: Transaction, actor: Actor, id: number, request: DraftRequest): Promise<void> {
  requireSynchronized(actor)
  const draft = { id, ...(await requireDraft(viewerOf(tx.db, actor, tx.now), request)) }
  const usedSpace = await findTextUsage(tx, 'drafts', actor.id)
  if (!(await saveDraft(tx, actor.id, draft))) throw noSuchDraft()
  await requireTextQuota(tx, 'drafts', actor.id, usedSpace)
  tx.emit(actor.realmId, { type: 'drafts', op: 'update', draft: toDraftJson(draft) }, [actor.id])
}

export async function removeDraft(tx: Transaction, actor: Actor, id: number): Promise<void> {
  requireSynchronized(actor)
  if (!(await deleteDraft(tx, actor.id, id))) throw noSuchDraft()
  tx.emit(actor.realmId, { type: 'drafts', op: 'remove', draft_id: id }, [actor.id])
}

export function requireSynchronized(actor: Actor): void {
  if (!actor.settings.enable_drafts_synchronization) throw notSynchronized()
}
