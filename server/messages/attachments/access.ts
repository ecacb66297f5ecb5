import type { Viewer } from '#groups/viewer.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { findAccessScope, isInScope } from '../narrow/access-scope.ts'
import type { Attachment, Claim } from './attachment.ts'
import { findAttachments } from './queries.ts'

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
  if (!realm.settings.enable_spectator_access || realm.deactivatedAt !== null) return null
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
