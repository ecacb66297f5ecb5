import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { pathIdsIn } from '#markdown/previews.ts'
import { findUsersById } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { allowsSpectators, type Realm } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Author, actorOf, isSystemBot } from '../access.ts'
import {
  type Attachment,
  type Claim,
  deleteClaims,
  findAttachments,
  findClaimedAttachments,
  findSpaceUsed,
  findUnclaimedIds,
  lockAttachments,
  pathIdOf,
  saveClaims,
  saveUnclaimedAt,
  toAttachmentJson,
} from '../attachments.ts'
import { keepHeldFiles } from '../legal-holds.ts'
import { findAccessScope, isInScope } from '../narrow.ts'

/**
 * Returns those of the files that the actor may read: the actor's own files, and files linked in messages that the
 * actor may read.
 */
export async function findReadableAttachments(viewer: Viewer, pathIds: Iterable<string>): Promise<Attachment[]> {
  const { db, actor } = viewer
  const found = await findAttachments(db, actor.realmId, pathIds)
  const others = found.filter((attachment) => attachment.ownerId !== actor.id).map(({ id }) => id)
  if (others.length === 0) return found
  const linked = new Set((await findReadableClaims(viewer, others)).map((claim) => claim.attachmentId))
  return found.filter((attachment) => attachment.ownerId === actor.id || linked.has(attachment.id))
}

/** Returns the links to the files in messages that the reader may read, ordered by message id. */
export async function findReadableClaims(viewer: Viewer, attachmentIds: readonly number[]): Promise<Claim[]> {
  const { db, actor: reader } = viewer
  if (attachmentIds.length === 0) return []
  const scope = await findAccessScope(viewer)
  return db
    .selectFrom('attachmentClaims')
    .innerJoin('messages', 'messages.id', 'attachmentClaims.messageId')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', reader.id),
    )
    .select(['attachmentClaims.attachmentId', 'messages.id as messageId', 'messages.sentAt'])
    .where('attachmentClaims.attachmentId', 'in', attachmentIds)
    .where(isInScope(db, scope))
    .orderBy('messages.id')
    .execute()
}

/** Returns the file if a message in a web-public channel links to it. Such files can be read without an account. */
export async function findWebPublicAttachment(db: Db, realm: Realm, pathId: string): Promise<Attachment | null> {
  if (!allowsSpectators(realm)) return null
  const [attachment] = await findAttachments(db, realm.id, [pathId])
  if (attachment === undefined) return null
  const claim = await db
    .selectFrom('attachmentClaims')
    .innerJoin('messages', 'messages.id', 'attachmentClaims.messageId')
    .innerJoin('channels', 'channels.id', 'messages.channelId')
    .select('messages.id')
    .where('attachmentClaims.attachmentId', '=', attachment.id)
    .where('channels.isWebPublic', '=', 1)
    .where('channels.archivedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return claim === undefined ? null : attachment
}

/** Emits the current state of the files to their owners. All files must belong to one organization. */
export async function emitAttachments(
  tx: Transaction,
  op: 'add' | 'update',
  attachments: readonly Attachment[],
): Promise<void> {
  const realm = await findRealm(tx.db, attachments[0]?.realmId ?? 0)
  if (realm === null) return
  const upload_space_used = await findSpaceUsed(tx.db, realm.id)
  const byOwner = Map.groupBy(attachments, (attachment) => attachment.ownerId)
  for (const owner of await findUsersById(tx.db, byOwner.keys())) {
    const owned = byOwner.get(owner.id) ?? []
    const ids = owned.map(({ id }) => id)
    const claims = await findReadableClaims(viewerOf(tx.db, { ...owner, realm }, tx.now), ids)
    for (const attachment of owned) {
      const json = toAttachmentJson(attachment, claims)
      tx.emit(realm.id, { type: 'attachment', op, attachment: json, upload_space_used }, [owner.id])
    }
  }
}

/** Emits the deletion of the files to their owners. All files must belong to one organization. */
export async function emitAttachmentsRemoved(tx: Transaction, attachments: readonly Attachment[]): Promise<void> {
  const [{ realmId } = { realmId: 0 }] = attachments
  const upload_space_used = await findSpaceUsed(tx.db, realmId)
  for (const { id, ownerId } of attachments)
    tx.emit(realmId, { type: 'attachment', op: 'remove', attachment: { id }, upload_space_used }, [ownerId])
}

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

  if (dropped.length > 0) await keepHeldFiles(tx, author.realm.id, dropped)
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
