import { type ThumbnailFormat, thumbnailFormats, toThumbnail } from '../../platform/images/resize.ts'
import type { Requester } from '../../platform/jobs/fair-queue.ts'
import type { FileStore } from '../../platform/storage/files/files.ts'
import type { Attachment } from '../attachments/attachment.ts'
import { storedName, thumbnailName } from './stored-file.ts'

/** The format of this name in which a file can be shown; null when there is none. */
export function findFormat({ image }: Attachment, name: string): ThumbnailFormat | null {
  const format = thumbnailFormats.find((one) => one.name === name)
  if (format === undefined || image === null || (format.animated && !image.isAnimated)) return null
  return format
}

/** Those that are being made, by their names: whoever asks meanwhile waits for the same. */
const pendingThumbnails = new Map<string, Promise<boolean>>()

/**
 * Whether the thumbnail lies under its name; it is made, in the turn of whoever asks for it first. False when it cannot be
 * made.
 */
export async function ensureThumbnail(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  turn: Requester,
): Promise<boolean> {
  const name = thumbnailName(attachment, format)
  if ((await files.findSize(name)) !== null) return true
  let making = pendingThumbnails.get(name)
  if (making === undefined) {
    making = make(files, attachment, format, turn).finally(() => pendingThumbnails.delete(name))
    pendingThumbnails.set(name, making)
  }
  return making
}

async function make(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  turn: Requester,
): Promise<boolean> {
  const source = await files.findSource(storedName(attachment))
  const bytes = source === null ? null : await toThumbnail(source, format, turn)
  if (bytes === null) return false
  await files.save(thumbnailName(attachment, format), bytes)
  return true
}
