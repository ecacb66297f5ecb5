import type { Rendering } from '#markdown/scope.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/** A message that links to websites whose previews have not been fetched yet. */
export type LinkPreviewRequest = { messageId: number; senderId: number }

/**
 * The maximum number of messages of one sender that wait for previews. The websites determine how long each message
 * takes.
 */
const MAX_WAITING = 20

/**
 * Requests the missing previews of the message, which are fetched after the commit. Does nothing if the sender already
 * has `MAX_WAITING` messages that wait.
 */
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
