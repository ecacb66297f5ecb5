import { z } from 'zod'
import { incomingFileRefusals } from '#http/body/incoming-files.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { inspectImage } from '#lib/images/decode.ts'
import { canResize } from '#lib/images/sharp.ts'
import { requesterOf } from '#people/users/user.ts'
import type { FileWriter } from '#storage/files/files.ts'
import { type Attachment, pathIdOf } from '../../attachments/attachment.ts'
import { addUpload } from '../change-uploads.ts'
import { contentTypeFor } from '../content-type.ts'
import { toDisplayName, toUrlName } from '../file-name.ts'
import {
  dailyUploadLimitReached,
  fileTooLarge,
  MEBIBYTE,
  quotaExceeded,
  requireUploadSize,
  requireUploadSpace,
} from '../limits.ts'
import { newPlace, storedName } from '../stored-file.ts'

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
    const { actor, files, transaction } = call
    await using kept = new AsyncDisposableStack()
    const file = await receiveFile(call)
    kept.defer(() => files.delete(storedName(file)))
    // The upload may have taken so long that the account was deactivated.
    await call.reauthenticate()

    const image = await inspectUpload(call, file)
    await transaction(async (tx) => {
      await addUpload(tx, actor, { ...file, image })
      // The outcome of a failed commit may be unknown. The cleanup worker deletes files without a row.
      kept.move()
    })
    const url = `/user_uploads/${pathIdOf(file)}`
    return { uri: url, url, filename: file.name }
  },
})

/** Returns the image properties that a preview needs; null for other files. */
async function inspectUpload({ files, settings, actor }: Call, file: ReceivedFile): Promise<Attachment['image']> {
  if (!canResize(settings) || contentTypeFor(file.fileName).contentType.split('/')[0] !== 'image') return null
  const source = await files.findSource(storedName(file))
  // The file has already been uploaded, so image processing waits its turn instead of being refused.
  const facts = source === null ? null : await inspectImage(source, requesterOf(actor, false))
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
