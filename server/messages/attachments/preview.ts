import { thumbnailFormats } from '#lib/images/resize.ts'
import type { PreviewedImage } from '#markdown/previews/media-previews.ts'
import { type Attachment, pathIdOf } from './attachment.ts'

/** Returns the preview of an image; null for other files. */
export function toPreview(attachment: Attachment): PreviewedImage | null {
  const { image } = attachment
  const format = thumbnailFormats.find(({ animated }) => animated === image?.isAnimated)
  if (image === null || format === undefined) return null
  const pathId = pathIdOf(attachment)
  return { url: `/user_uploads/${pathId}`, thumbnailUrl: `/user_uploads/thumbnail/${pathId}/${format.name}`, ...image }
}
