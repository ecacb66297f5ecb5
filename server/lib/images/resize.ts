import type { Requester } from '../jobs/fair-queue.ts'
import { decodeImage, type ImageSource, queueDecoding, readImageFacts } from './decode.ts'

export type ThumbnailFormat = {
  readonly name: string
  readonly max_width: number
  readonly max_height: number
  readonly format: 'webp'
  readonly animated: boolean
}

/** The first animated format and the first still format are the defaults. */
export const thumbnailFormats: readonly ThumbnailFormat[] = [
  { name: '840x560-anim.webp', max_width: 840, max_height: 560, format: 'webp', animated: true },
  { name: '840x560.webp', max_width: 840, max_height: 560, format: 'webp', animated: false },
]

/** Returns the image scaled down to the format; null if it cannot be decoded. */
export function toThumbnail(
  source: ImageSource,
  format: ThumbnailFormat,
  requester: Requester,
): Promise<Buffer | null> {
  return queueDecoding(requester, () =>
    decodeImage(source, { animated: format.animated }, (picture) =>
      picture
        .autoOrient()
        .resize(format.max_width, format.max_height, { fit: 'inside', withoutEnlargement: true })
        .webp({ quality: 75, effort: 2 })
        .toBuffer(),
    ),
  )
}

/** The side lengths of small and medium avatars, in pixels. */
const AVATAR_SIDES = { small: 100, medium: 500 }

/** Returns two square PNGs cut from the middle of the image; null if it cannot be decoded. */
export function toAvatar(source: ImageSource, requester: Requester): Promise<{ small: Buffer; medium: Buffer } | null> {
  return queueDecoding(requester, async () => {
    const small = await toSquare(source, AVATAR_SIDES.small)
    const medium = small && (await toSquare(source, AVATAR_SIDES.medium))
    return small && medium && { small, medium }
  })
}

const toSquare = (source: ImageSource, side: number) =>
  decodeImage(source, {}, (picture) => picture.autoOrient().resize(side, side, { fit: 'cover' }).png().toBuffer())

/** The maximum size of logos, in pixels. It is wide, because most logos contain the name of the organization. */
const LOGO_SIZE = { width: 800, height: 100 }

/** Returns the logo as a PNG, scaled down to fit; null if it cannot be decoded. */
export function toLogo(source: ImageSource, requester: Requester): Promise<Buffer | null> {
  return queueDecoding(requester, () =>
    decodeImage(source, {}, (picture) =>
      picture
        .autoOrient()
        .resize(LOGO_SIZE.width, LOGO_SIZE.height, { fit: 'inside', withoutEnlargement: true })
        .png()
        .toBuffer(),
    ),
  )
}

/** The side length of an emoji in pixels: twice the displayed size. */
const EMOJI_SIDE = 64

/** Returns the image of an emoji, with a still frame if it is animated; null if it cannot be decoded. */
export function toEmoji(
  source: ImageSource,
  requester: Requester,
): Promise<{ moving: Buffer | null; still: Buffer } | null> {
  return queueDecoding(requester, async () => {
    const facts = await readImageFacts(source)
    const still = facts && (await decodeImage(source, {}, (picture) => fitEmoji(picture).png().toBuffer()))
    if (facts === null || still === null) return null
    if (!facts.isAnimated) return { moving: null, still }
    const moving = await decodeImage(source, { animated: true }, (picture) => fitEmoji(picture).gif().toBuffer())
    return moving === null ? null : { moving, still }
  })
}

const fitEmoji = (picture: import('sharp').Sharp) =>
  picture.autoOrient().resize(EMOJI_SIDE, EMOJI_SIDE, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
