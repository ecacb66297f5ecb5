import { type ThumbnailFormat, thumbnailFormats, toThumbnail } from '#lib/images/resize.ts'
import type { Requester } from '#lib/jobs/fair-queue.ts'
import type { FileStore } from '#storage/files/files.ts'
import type { Attachment } from '../attachments/attachment.ts'
import { storedName, thumbnailName } from './stored-file.ts'

/** Returns the thumbnail format with this name if the file supports it. */
export function findFormat({ image }: Attachment, name: string): ThumbnailFormat | null {
  const format = thumbnailFormats.find((format) => format.name === name)
  if (format === undefined || image === null || (format.animated && !image.isAnimated)) return null
  return format
}

/** Thumbnails that are being created, by name. Concurrent requests wait for the same one. */
const pendingThumbnails = new Map<string, Promise<boolean>>()

/** Creates the thumbnail if it does not exist. Returns false if it cannot be created. */
export async function ensureThumbnail(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  requester: Requester,
): Promise<boolean> {
  const name = thumbnailName(attachment, format)
  if ((await files.findSize(name)) !== null) return true
  let pending = pendingThumbnails.get(name)
  if (pending === undefined) {
    pending = createThumbnail(files, attachment, format, requester).finally(() => pendingThumbnails.delete(name))
    pendingThumbnails.set(name, pending)
  }
  return pending
}

async function createThumbnail(
  files: FileStore,
  attachment: Attachment,
  format: ThumbnailFormat,
  requester: Requester,
): Promise<boolean> {
  const source = await files.findSource(storedName(attachment))
  const bytes = source === null ? null : await toThumbnail(source, format, requester)
  if (bytes === null) return false
  await files.save(thumbnailName(attachment, format), bytes)
  return true
}
