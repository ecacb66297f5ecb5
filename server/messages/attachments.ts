import { sql } from 'kysely'
import { z } from 'zod'
import { type ImageFacts, thumbnailFormats } from '#lib/images.ts'
import type { PreviewedImage } from '#markdown/previews.ts'
import { batches } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { isFileHeld } from './legal-holds.ts'
import { MessageFeature } from './message.ts'

// Uploaded files as they are stored and as clients see them, and the claims of messages on them. A file that no
// message has claimed for five weeks is deleted, so claims are made and released in the transaction that changes the
// message.

/** Seconds after which files that no message claims are deleted: five weeks. */
export const UNCLAIMED_LIFETIME = 35 * 86_400

/** An uploaded file. */
export type Attachment = {
  id: number
  realmId: number
  ownerId: number
  /** The storage path and the middle part of the URL: organization, shard and secret. */
  place: string
  /** The last part of the URL: the name without characters that a URL cannot contain. */
  fileName: string
  /** The name that the owner gave the file. */
  name: string
  /** The size in bytes. */
  size: number
  createdAt: number
  image: ImageFacts | null
}

/** A link to a file in a message. */
export type Claim = { attachmentId: number; messageId: number; sentAt: number }

/** Returns the part of the URL after `/user_uploads/`. */
export const pathIdOf = ({ place, fileName }: Pick<Attachment, 'place' | 'fileName'>) => `${place}/${fileName}`

export const attachmentJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  path_id: z.string().describe('The part of its URL after `/user_uploads/`.'),
  size: z.int().describe('In bytes.'),
  create_time: z.int().describe('UNIX time in milliseconds.'),
  messages: z
    .array(z.strictObject({ date_sent: z.int().describe('UNIX time in milliseconds.'), id: z.int() }))
    .describe('The messages that link to it and that its owner may read.'),
})

/** Rounds down to whole seconds and converts to milliseconds. */
const toMilliseconds = (seconds: number) => Math.floor(seconds) * 1000

export function toAttachmentJson(attachment: Attachment, claims: readonly Claim[]): z.infer<typeof attachmentJson> {
  const { id, name, size, createdAt } = attachment
  const messages = claims
    .filter((claim) => claim.attachmentId === id)
    .map(({ messageId, sentAt }) => ({ date_sent: toMilliseconds(sentAt), id: messageId }))
  return { id, name, path_id: pathIdOf(attachment), size, create_time: toMilliseconds(createdAt), messages }
}

/** Returns the preview of an image; null for other files. */
export function toPreview(attachment: Attachment): PreviewedImage | null {
  const { image } = attachment
  const format = thumbnailFormats.find(({ animated }) => animated === image?.isAnimated)
  if (image === null || format === undefined) return null
  const pathId = pathIdOf(attachment)
  return { url: `/user_uploads/${pathId}`, thumbnailUrl: `/user_uploads/thumbnail/${pathId}/${format.name}`, ...image }
}

const columns = [
  'attachments.id',
  'attachments.realmId',
  'attachments.ownerId',
  'attachments.place',
  'attachments.fileName',
  'attachments.name',
  'attachments.size',
  'attachments.createdAt',
  'attachments.imageType',
  'attachments.imageWidth',
  'attachments.imageHeight',
  'attachments.isAnimated',
] as const

type Row = Omit<Attachment, 'image'> & {
  imageType: string | null
  imageWidth: number | null
  imageHeight: number | null
  isAnimated: number
}

function toAttachment({ imageType, imageWidth, imageHeight, isAnimated, ...row }: Row): Attachment {
  const isImage = imageType !== null && imageWidth !== null && imageHeight !== null
  const image = { contentType: imageType, width: imageWidth, height: imageHeight, isAnimated: isAnimated === 1 }
  return { ...row, image: isImage ? (image as ImageFacts) : null }
}

/** Returns the organization's files with these paths, ordered by id. */
export async function findAttachments(db: Db, realmId: number, pathIds: Iterable<string>): Promise<Attachment[]> {
  const requested = new Set(pathIds)
  if (requested.size === 0) return []
  const places = Array.from(requested, (pathId) => pathId.slice(0, pathId.lastIndexOf('/')))
  const rows = await db
    .selectFrom('attachments')
    .select(columns)
    .where('place', 'in', places)
    .where('realmId', '=', realmId)
    .orderBy('id')
    .execute()
  return rows.map(toAttachment).filter((attachment) => requested.has(pathIdOf(attachment)))
}

/** Returns all files of the organization, ordered by id. */
export async function findRealmAttachments(db: Db, realmId: number): Promise<Attachment[]> {
  const rows = await db.selectFrom('attachments').select(columns).where('realmId', '=', realmId).orderBy('id').execute()
  return rows.map(toAttachment)
}

export async function findAttachmentsOf(db: Db, messageId: number): Promise<Attachment[]> {
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('attachmentClaims', 'attachmentClaims.attachmentId', 'attachments.id')
    .select(columns)
    .where('attachmentClaims.messageId', '=', messageId)
    .orderBy('attachments.id')
    .execute()
  return rows.map(toAttachment)
}

/** Returns all files of the user, newest first. */
export async function findOwnAttachments(db: Db, ownerId: number): Promise<Attachment[]> {
  const query = db.selectFrom('attachments').select(columns).where('ownerId', '=', ownerId)
  return (await query.orderBy('id', 'desc').execute()).map(toAttachment)
}

/** Returns the oldest files of the user, at most `limit`, and locks them until the transaction ends. */
export async function findAttachmentsByOwner(db: Db, ownerId: number, limit: number): Promise<Attachment[]> {
  const query = db.selectFrom('attachments').select(columns).where('ownerId', '=', ownerId)
  return (await query.orderBy('id').limit(limit).forUpdate().execute()).map(toAttachment)
}

export async function findOwnAttachment(db: Db, ownerId: number, id: number): Promise<Attachment | null> {
  const query = db.selectFrom('attachments').select(columns).where('id', '=', id).where('ownerId', '=', ownerId)
  const row = await query.executeTakeFirst()
  return row === undefined ? null : toAttachment(row)
}

export async function findClaimedAttachments(db: Db, messageIds: readonly number[]): Promise<Attachment[]> {
  const rows = await db
    .selectFrom('attachmentClaims')
    .innerJoin('attachments', 'attachments.id', 'attachmentClaims.attachmentId')
    .select(columns)
    .distinct()
    .where('messageId', 'in', messageIds)
    .orderBy('attachments.id')
    .execute()
  return rows.map(toAttachment)
}

/** The number of uploads that are read at once. */
const PAGE = 500

/** Yields the uploads of all organizations in the order of their ids. */
export async function* findAllAttachments(db: Db): AsyncGenerator<Attachment[]> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('attachments')
      .select(columns)
      .where('id', '>', after)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    if (rows.length === 0) return
    yield rows.map(toAttachment)
    after = rows.at(-1)!.id
  }
}

/** Returns whether any organization has an uploaded file. */
export const hasAttachments = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('attachments').select('id').limit(1).executeTakeFirst()) !== undefined

/** Returns the total size of the organization's files in bytes. */
export async function findSpaceUsed(db: Db, realmId: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('attachments')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('bytes'))
    .where('realmId', '=', realmId)
    .executeTakeFirstOrThrow()
  // PostgreSQL returns the sum of bigints as text, because it may exceed 64 bits.
  return Number(bytes ?? 0)
}

/** Returns the total size in bytes of the files that the users uploaded after this time and that still exist. */
export async function findSpaceUsedSince(db: Db, ownerIds: readonly number[], since: number): Promise<number> {
  const { bytes } = await db
    .selectFrom('attachments')
    .select(({ fn }) => fn.sum<number | string | null>('size').as('bytes'))
    .where('ownerId', 'in', ownerIds)
    .where('createdAt', '>', since)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

export async function saveAttachment(tx: Transaction, attachment: Omit<Attachment, 'id'>): Promise<Attachment> {
  const { image, ...fields } = attachment
  const { id } = await tx
    .insertInto('attachments')
    .values({
      ...fields,
      unclaimedAt: tx.now,
      imageType: image?.contentType ?? null,
      imageWidth: image?.width ?? null,
      imageHeight: image?.height ?? null,
      isAnimated: image?.isAnimated ? 1 : 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...attachment, id }
}

/** Deletes the files. Messages that linked to them and link to no other file no longer match `has:attachment`. */
export async function deleteAttachments(tx: Transaction, ids: readonly number[]): Promise<void> {
  const claims = await tx.db
    .selectFrom('attachmentClaims')
    .select('messageId')
    .distinct()
    .where('attachmentId', 'in', ids)
    .execute()
  await tx.deleteFrom('attachments').where('id', 'in', ids).execute()
  for (const batch of batches(claims.map(({ messageId }) => messageId))) {
    await tx
      .updateTable('messages')
      .set({ holdings: sql<number>`"holdings" & ${~MessageFeature.attachment}` })
      .where('id', 'in', batch)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('attachmentClaims').select('attachmentId').whereRef('messageId', '=', 'messages.id'))),
      )
      .execute()
  }
}

/** Locks the files against claims and deletions until the transaction ends. Returns the ids of the files that exist. */
export async function lockAttachments(tx: Transaction, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const rows = await tx.db
    .selectFrom('attachments')
    .select('id')
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Set(rows.map((row) => row.id))
}

export async function saveClaims(tx: Transaction, messageId: number, attachmentIds: readonly number[]): Promise<void> {
  if (attachmentIds.length === 0) return
  const rows = attachmentIds.map((attachmentId) => ({ messageId, attachmentId }))
  await tx.insertInto('attachmentClaims').values(rows).execute()
  await tx.updateTable('attachments').set({ unclaimedAt: null }).where('id', 'in', attachmentIds).execute()
}

export async function deleteClaims(
  tx: Transaction,
  messageId: number,
  attachmentIds: readonly number[],
): Promise<void> {
  if (attachmentIds.length === 0) return
  await tx
    .deleteFrom('attachmentClaims')
    .where('messageId', '=', messageId)
    .where('attachmentId', 'in', attachmentIds)
    .execute()
}

/**
 * Sets `unclaimedAt` to the current time for files that have no claim and for which it is not set yet. Checks all files
 * if no ids are given.
 */
export async function saveUnclaimedAt(tx: Transaction, ids?: readonly number[]): Promise<void> {
  if (ids?.length === 0) return
  await tx
    .updateTable('attachments')
    .set({ unclaimedAt: tx.now })
    .where('unclaimedAt', 'is', null)
    .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('attachmentClaims')
            .select('messageId')
            .whereRef('attachmentClaims.attachmentId', '=', 'attachments.id'),
        ),
      ),
    )
    .execute()
}

/** Returns the ids of the files that no message links to. */
export async function findUnclaimedIds(db: Db, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const query = db.selectFrom('attachments').select('id').where('id', 'in', ids).where('unclaimedAt', 'is not', null)
  return new Set((await query.execute()).map((row) => row.id))
}

/** Returns up to 500 files that have had no claim since before this time and that no scheduled message links to. */
export async function findUnclaimedAttachments(db: Db, before: number): Promise<Attachment[]> {
  const rows = await db
    .selectFrom('attachments')
    .select(columns)
    .where('unclaimedAt', '<', before)
    .where(({ not }) => not(isFileHeld))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('scheduledMessages')
            .select('scheduledMessages.id')
            .whereRef('scheduledMessages.realmId', '=', 'attachments.realmId')
            .where(sql<boolean>`"scheduledMessages"."content" like '%' || "attachments"."place" || '%'`),
        ),
      ),
    )
    .orderBy('unclaimedAt')
    .limit(500)
    .execute()
  return rows.map(toAttachment)
}

export async function findKnownPlaces(db: Db, places: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('attachments').select('place').where('place', 'in', places).execute()
  const held = await db.selectFrom('heldFiles').select('place').where('place', 'in', places).execute()
  return new Set([...rows, ...held].map((row) => row.place))
}
