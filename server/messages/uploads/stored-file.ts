import { thumbnailFormats } from '#lib/images/resize.ts'
import type { Random } from '#lib/security/random.ts'
import type { FileStore } from '#storage/files/files.ts'
import { THUMBNAILS, UPLOADS } from '#storage/files/folders.ts'
import type { Attachment } from '../attachments/attachment.ts'

/** Returns a new storage path for a file of the organization. The path contains a secret of 144 random bits. */
export function newPlace(realmId: number, random: Random): string {
  const [shard = 0] = random.bytes(1)
  return `${realmId}/${shard.toString(16).padStart(2, '0')}/${random.bytes(18).toString('base64url')}`
}

export const storedName = ({ place }: { place: string }) => `${UPLOADS}/${place}`

export const thumbnailName = ({ place }: { place: string }, format: { name: string }) =>
  `${THUMBNAILS}/${place}.${format.name}`

/** Deletes the stored bytes of a file and its thumbnails. */
export async function deleteStoredFile(
  files: FileStore,
  attachment: Pick<Attachment, 'place' | 'image'>,
): Promise<void> {
  await files.delete(storedName(attachment))
  if (attachment.image === null) return
  for (const format of thumbnailFormats) await files.delete(thumbnailName(attachment, format))
}

/** Returns the `place` of the attachment that the stored file belongs to. */
export function storedPlaceOf(name: string): string {
  const [, place = ''] = /^[^/]+\/([^.]*)/.exec(name) ?? []
  return place
}
