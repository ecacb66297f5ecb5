import type { Rendering } from '../../platform/markdown/scope.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** A message with links to websites whose previews are to be fetched. */
export type LinkPreviewRequest = { messageId: number; senderId: number }

/** The number of messages of one sender that may wait. The websites determine how long each takes. */
const MAX_WAITING = 20

/** Requests the previews that the message lacks, to be fetched after the commit. None are fetched beyond MAX_WAITING. */
export async function requestLinkPreviews(
  tx: Transaction,
  request: LinkPreviewRequest,
  { previewableUrls }: Rendering,
): Promise<void> {
  if (previewableUrls.length === 0) return
  const waiting = await tx.db
    .selectFrom('linkPreviewRequests')
    .select('messageId')
    .where('senderId', '=', request.senderId)
    .limit(MAX_WAITING)
    .execute()
  if (waiting.length === MAX_WAITING) return
  await tx
    .insertInto('linkPreviewRequests')
    .values(request)
    // Locks a waiting request, so that the job reads the message after the edit.
    .onConflict((clash) => clash.column('messageId').doUpdateSet({ senderId: request.senderId }))
    .execute()
}

/** Returns the first request of each sender. */
export async function findFirstRequests(db: Db): Promise<LinkPreviewRequest[]> {
  return db
    .selectFrom('linkPreviewRequests')
    .select((is) => ['senderId', is.fn.min('messageId').as('messageId')])
    .groupBy('senderId')
    .orderBy('messageId')
    .execute()
}

/** Deletes a request. Returns false if it was already deleted, for example with its message. */
export async function deleteRequest(tx: Transaction, { messageId }: LinkPreviewRequest): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('linkPreviewRequests')
    .where('messageId', '=', messageId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
