import { z } from 'zod'
import type { Settings } from '#config.ts'
import { type Call, endpoint, type Services } from '#http/endpoint.ts'
import { incomingFileRefusals } from '#http/refusals.ts'
import { SECONDS_PER_DAY } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { canResize, inspectImage } from '#lib/images.ts'
import { hasDailyLimits } from '#people/access.ts'
import { findAccountIdsOfPerson } from '#people/creation-limits.ts'
import { type Actor, requesterOf } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import type { FileWriter } from '#storage/files.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type Attachment,
  deleteAttachments,
  findOwnAttachment,
  findSpaceUsed,
  findSpaceUsedSince,
  lockAttachments,
  pathIdOf,
  saveAttachment,
} from './attachments.ts'
import { contentTypeFor, newPlace, storedName, toDisplayName, toUrlName } from './files.ts'
import { keepHeldFiles } from './legal-holds.ts'
import { emitAttachments, emitAttachmentsRemoved } from './uploads/claims.ts'

// Uploads: files that users or emails send are stored, checked against the limits, and registered for their owner. A
// file that no message links to is deleted after some weeks.

const fileTooLarge = refusal(
  'BAD_REQUEST',
  400,
  "File is larger than this server's configured maximum upload size ({limit} MiB).",
  { field: 'file' },
)
const quotaExceeded = refusal('REALM_UPLOAD_QUOTA', 400, "Upload would exceed your organization's upload quota.", {
  field: 'file',
})

const dailyUploadLimitReached = refusal(
  'BAD_REQUEST',
  400,
  'You cannot upload more than {limit} MiB in 24 hours. Try again later, or delete files that you uploaded.',
)

const MEBIBYTE = 1024 * 1024

function requireUploadSize({ MAX_FILE_UPLOAD_SIZE_MIB: limit }: Settings, bytes: number): void {
  if (bytes > limit * MEBIBYTE) throw fileTooLarge({ limit })
}

/** Refuses a file that exceeds the organization's quota or the actor's limit per 24 hours. */
async function requireUploadSpace(db: Db, actor: Actor, bytes: number, now: number): Promise<void> {
  const quota = db.settings.UPLOAD_QUOTA_MIB * MEBIBYTE
  if (quota > 0 && (await findSpaceUsed(db, actor.realmId)) + bytes > quota) throw quotaExceeded()
  const limit = db.settings.UPLOADS_PER_DAY_MIB
  if (limit === 0 || !hasDailyLimits(actor)) return
  const uploadedBytes = await findSpaceUsedSince(db, await findAccountIdsOfPerson(db, actor), now - SECONDS_PER_DAY)
  if (uploadedBytes + bytes > limit * MEBIBYTE) throw dailyUploadLimitReached({ limit })
}

export const invalidAttachment = refusal('BAD_REQUEST', 400, 'Invalid attachment')

/** Registers a stored file for the actor. It is deleted later if no message links to it. */
async function addUpload(
  tx: Transaction,
  actor: Actor,
  file: Pick<Attachment, 'place' | 'fileName' | 'name' | 'size' | 'image'>,
): Promise<Attachment> {
  const { UPLOAD_QUOTA_MIB, UPLOADS_PER_DAY_MIB } = tx.db.settings
  if (UPLOAD_QUOTA_MIB > 0 || UPLOADS_PER_DAY_MIB > 0) await lockRealm(tx, actor.realmId)
  await requireUploadSpace(tx.db, actor, file.size, tx.now)
  const attachment = { ...file, realmId: actor.realmId, ownerId: actor.id, createdAt: tx.now }
  const saved = await saveAttachment(tx, attachment)
  await emitAttachments(tx, 'add', [saved])
  return saved
}

/**
 * Deletes the row of the actor's own file, even if messages link to it. The caller deletes the stored bytes of the
 * returned file; null is returned if a legal hold keeps them.
 */
export async function removeUpload(tx: Transaction, actor: Actor, id: number): Promise<Attachment | null> {
  await lockAttachments(tx, [id])
  const attachment = await findOwnAttachment(tx.db, actor.id, id)
  if (attachment === null) throw invalidAttachment()
  const kept = await keepHeldFiles(tx, actor.realmId, [attachment])
  await deleteAttachments(tx, [id])
  await emitAttachmentsRemoved(tx, [attachment])
  return kept.has(attachment.place) ? null : attachment
}

const noFile = refusal('BAD_REQUEST', 400, 'You must specify a file to upload', { field: 'file' })
const oneFileOnly = refusal('BAD_REQUEST', 400, 'You may only upload one file at a time', { field: 'file' })

/** The maximum size of a multipart body apart from the file, in bytes. */
const MARGIN = 1024 * 1024

export const uploadFile = endpoint({
  route: 'POST /user_uploads',
  summary: 'Upload a file',
  description:
    'The body contains one file, in a field of any name. Only you can read the file until a message links to it. Files ' +
    'that no message links to are deleted after five weeks.',
  who: 'user',
  readsFiles: true,
  returns: {
    uri: z.string().describe('An older name of `url`.'),
    url: z.string().describe('The URL of the file, relative to that of the organization.'),
    filename: z.string(),
  },
  refuses: [noFile, oneFileOnly, fileTooLarge, quotaExceeded, dailyUploadLimitReached, ...incomingFileRefusals],
  async handle(call) {
    const file = await receiveFile(call)
    // The upload may have taken so long that the account was deactivated.
    const url = uploadUrl(await register(call, call.actor, file, () => call.reauthenticate()))
    return { uri: url, url, filename: file.name }
  },
})

/** Returns the URL of the file, relative to that of the organization. */
export const uploadUrl = (file: Pick<Attachment, 'place' | 'fileName'>): string => `/user_uploads/${pathIdOf(file)}`

type UploadServices = Pick<Services, 'db' | 'files' | 'settings' | 'transaction'>

/**
 * Saves bytes that did not come in a request as a file of the actor. Refuses them by the same limits as an upload. The
 * file is deleted later if no message links to it.
 */
export async function saveUpload(
  services: UploadServices & Pick<Services, 'random' | 'clock'>,
  actor: Actor,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<Attachment> {
  const { files, settings, db, clock, random } = services
  requireUploadSize(settings, bytes.length)
  await requireUploadSpace(db, actor, bytes.length, clock.now())
  const file = { ...newFile(actor.realmId, name, random), size: bytes.length }
  await files.save(storedName(file), bytes)
  return register(services, actor, file)
}

/** Registers a stored file once it is confirmed; otherwise, deletes the stored bytes. */
async function register(
  services: UploadServices,
  actor: Actor,
  file: ReceivedFile,
  confirm: () => unknown = () => {},
): Promise<Attachment> {
  const { files, transaction } = services
  await using kept = new AsyncDisposableStack()
  kept.defer(() => files.delete(storedName(file)))
  await confirm()
  const image = await inspectUpload(services, actor, file)
  // Awaited here, so that the bytes stay until the transaction has ended.
  return await transaction(async (tx) => {
    const saved = await addUpload(tx, actor, { ...file, image })
    // The outcome of a failed commit may be unknown. The cleanup worker deletes files without a row.
    kept.move()
    return saved
  })
}

/** Returns the image properties that a preview needs; null for other files. */
async function inspectUpload(
  { files, settings }: UploadServices,
  actor: Actor,
  file: ReceivedFile,
): Promise<Attachment['image']> {
  if (!canResize(settings) || contentTypeFor(file.fileName).contentType.split('/')[0] !== 'image') return null
  // The file has already been uploaded, so image processing waits its turn instead of being refused.
  const facts = await files.withSource(storedName(file), (source) => inspectImage(source, requesterOf(actor, false)))
  // Browsers do not show an image whose content type is wrong.
  return facts?.contentType === contentTypeFor(file.fileName).contentType ? facts : null
}

type ReceivedFile = Pick<Attachment, 'place' | 'fileName' | 'name' | 'size'>

/** Writes the file to disk while it arrives, and deletes it if the upload is incomplete. */
async function receiveFile({
  incomingFiles: arriving,
  files,
  settings,
  actor,
  db,
  random,
  clock,
}: Call): Promise<ReceivedFile> {
  if (arriving === null) throw noFile()
  requireUploadSize(settings, (arriving.declaredLength ?? 0) - MARGIN)
  await requireUploadSpace(db, actor, (arriving.declaredLength ?? 0) - MARGIN, clock.now())

  let received: ReceivedFile | null = null
  let writer: FileWriter | null = null
  await using unfinished = new AsyncDisposableStack()
  for await (const chunk of arriving.read(settings.MAX_FILE_UPLOAD_SIZE_MIB * MEBIBYTE + MARGIN)) {
    if (!Buffer.isBuffer(chunk)) {
      if (received !== null) throw oneFileOnly()
      received = newFile(actor.realmId, chunk.fileName, random)
      writer = await files.create(storedName(received))
      const startedWriter = writer
      unfinished.defer(() => startedWriter.abandon())
    } else if (received !== null && writer !== null) {
      received.size += chunk.length
      requireUploadSize(settings, received.size)
      await writer.write(chunk)
    }
  }
  if (received === null || writer === null) throw noFile()
  unfinished.move()
  await writer.finish()
  return received
}

function newFile(realmId: number, fileName: string, random: Call['random']): ReceivedFile {
  const name = toDisplayName(fileName)
  return { place: newPlace(realmId, random), fileName: toUrlName(name), name, size: 0 }
}
