import { viewerOf } from '#groups/viewer.ts'
import { pathIdsIn } from '#markdown/links/upload-links.ts'
import type { Transaction } from '#storage/storage.ts'
import { type Author, actorOf, isSystemBot } from '../sending/author.ts'
import { findReadableAttachments } from './access.ts'
import { type Attachment, pathIdOf } from './attachment.ts'
import { emitAttachments } from './events.ts'
import {
  deleteClaims,
  findClaimedAttachments,
  findUnclaimedIds,
  lockAttachments,
  saveClaims,
  saveUnclaimedAt,
} from './queries.ts'

/** Locks and returns the files that the HTML links to and that the author may read. */
export async function findClaimableAttachments(tx: Transaction, author: Author, html: string): Promise<Attachment[]> {
  const pathIds = pathIdsIn(html)
  if (pathIds.size === 0 || isSystemBot(author)) return []
  const readable = await findReadableAttachments(viewerOf(tx.db, actorOf(author), tx.now), pathIds)
  return lockExisting(tx, readable)
}

/** Lets all readers of the message read these files. Call it after the message has been delivered. */
export async function claimAttachments(
  tx: Transaction,
  messageId: number,
  attachments: readonly Attachment[],
): Promise<void> {
  if (attachments.length === 0) return
  const ids = attachments.map(({ id }) => id)
  await saveClaims(tx, messageId, ids)
  await emitAttachments(tx, 'update', attachments)
}

/**
 * The result of an edit. `hasAttachment` is true if the message links to files. `detached` contains the author's files
 * that lost their last link.
 */
type UpdatedClaims = { hasAttachment: boolean; detached: readonly Attachment[] }

/** Replaces the links from an edited message to files with the links in its new HTML. */
export async function updateClaims(
  tx: Transaction,
  author: Author,
  messageId: number,
  html: string,
): Promise<UpdatedClaims> {
  const claimed = await lockExisting(tx, await findClaimedAttachments(tx.db, [messageId]))
  const linked = pathIdsIn(html)
  const dropped = claimed.filter((attachment) => !linked.has(pathIdOf(attachment)))
  const keptCount = claimed.length - dropped.length
  const claimable = linked.size > keptCount ? await findClaimableAttachments(tx, author, html) : []
  const added = claimable.filter(({ id }) => claimed.every((attachment) => attachment.id !== id))
  const hasAttachment = keptCount + added.length > 0
  if (dropped.length + added.length === 0) return { hasAttachment, detached: [] }

  const droppedIds = dropped.map(({ id }) => id)
  await deleteClaims(tx, messageId, droppedIds)
  await saveUnclaimedAt(tx, droppedIds)
  const addedIds = added.map(({ id }) => id)
  await saveClaims(tx, messageId, addedIds)
  await emitAttachments(tx, 'update', [...dropped, ...added])
  const unclaimed = await findUnclaimedIds(tx.db, droppedIds)
  return {
    hasAttachment,
    detached: dropped.filter(({ id, ownerId }) => ownerId === author.user.id && unclaimed.has(id)),
  }
}

/**
 * Locks the files of messages that are about to be deleted. The caller must call the returned function after the
 * deletion.
 */
export async function prepareClaimRelease(
  tx: Transaction,
  messageIds: readonly number[],
): Promise<() => Promise<void>> {
  const claimed = await lockExisting(tx, await findClaimedAttachments(tx.db, messageIds))
  return async () => {
    if (claimed.length === 0) return
    const ids = claimed.map(({ id }) => id)
    await saveUnclaimedAt(tx, ids)
    await emitAttachments(tx, 'update', claimed)
  }
}

async function lockExisting(tx: Transaction, attachments: readonly Attachment[]): Promise<Attachment[]> {
  const ids = attachments.map(({ id }) => id)
  const locked = await lockAttachments(tx, ids)
  return attachments.filter(({ id }) => locked.has(id))
}
