import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Sharp as Pipeline, SharpOptions } from 'sharp'
import { systemClock } from './clock.ts'
import { openFairQueue, type Requester } from './fair-queue.ts'

// Uploaded images: their formats, sizes, and scaled copies. Users send these files, so only formats that browsers
// show are decoded, within limits on pixels, frames, memory and time, in a fair queue outside of the event loop. A
// file that is damaged or too large is treated as no image; it is never an error. Without the optional image library,
// the server recognizes formats but neither measures nor resizes.

/** An image format that every browser shows and that cannot contain scripts. */
export type ImageType = { extension: 'png' | 'gif' | 'jpg' | 'webp'; contentType: string }

const imageTypes = {
  png: { extension: 'png', contentType: 'image/png' },
  gif: { extension: 'gif', contentType: 'image/gif' },
  jpeg: { extension: 'jpg', contentType: 'image/jpeg' },
  webp: { extension: 'webp', contentType: 'image/webp' },
} as const satisfies Record<string, ImageType>

/** Returns the format that the first bytes indicate; null if they indicate none of these formats. */
export function imageTypeOf(bytes: Buffer): ImageType | null {
  const start = bytes.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return imageTypes.png
  if (/^GIF8[79]a/.test(start)) return imageTypes.gif
  if (start.startsWith('\xff\xd8\xff')) return imageTypes.jpeg
  return /^RIFF.{4}WEBP$/s.test(start) ? imageTypes.webp : null
}

const isShown = (format: string): format is keyof typeof imageTypes => Object.hasOwn(imageTypes, format)

export function contentTypeOf(extension: ImageType['extension']): string {
  return imageTypes[extension === 'jpg' ? 'jpeg' : extension].contentType
}

type Sharp = typeof import('sharp').default

/** Only formats that browsers display are decoded, because each further format adds a parser for untrusted files. */
const DECODERS = ['VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadPng', 'VipsForeignLoadWebp']

/** True if the image library is installed, determined without loading it. */
const isInstalled: boolean = createRequire(import.meta.url)
  .resolve.paths('sharp')!
  .some((folder) => existsSync(join(folder, 'sharp')) && hasBinaries(join(folder, '@img')))

function hasBinaries(folder: string): boolean {
  const isForUs = (name: string) => name.startsWith(`sharp-${process.platform}`) && name.endsWith(`-${process.arch}`)
  return existsSync(folder) && readdirSync(folder).some(isForUs)
}

/**
 * Returns whether the server can measure and resize images. Otherwise, it shows images unchanged and without previews.
 */
export const canResize = ({ IMAGE_RESIZING }: { IMAGE_RESIZING: boolean }): boolean => IMAGE_RESIZING && isInstalled

let loaded: Promise<Sharp> | undefined

/** Returns the library. It takes 30 MB, so it is loaded for the first image. Rejects if it is not installed. */
export function loadSharp(): Promise<Sharp> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: DECODERS })
    return sharp
  })
  return loaded
}

/** The bytes of an image, or the path of its file. */
type ImageSource = Buffer | string

/**
 * The maximum number of pixels of an image. Larger images are not decoded. For an animation, the pixels of all frames
 * count.
 */
const MAX_PIXELS = 25_000_000

/** The maximum number of frames of an animation. Each frame takes additional time, even if it is small. */
const MAX_FRAMES = 500

/**
 * The maximum size of a decoded image in bytes: MAX_PIXELS with four channels of 8 bits. An image with 16 bits for each
 * channel may have half as many pixels.
 */
const MAX_DECODED_BYTES = 4 * MAX_PIXELS

/**
 * The time after which a decoding step is aborted, in seconds. The largest image takes less than one second of CPU
 * time.
 */
const MAX_TIME = 10

/** Images are decoded outside the event loop, on at most two processors. */
const queue = openFairQueue({
  clock: systemClock(),
  concurrency: 2,
  maxWaitingEach: 10,
  maxWaiting: 100,
  retryAfter: 5,
})

type Metadata = Awaited<ReturnType<Pipeline['metadata']>>

/** Returns whether the image is within the limits on frames, pixels and memory. */
function isAffordable({ width, height, channels, depth, pages = 1 }: Metadata, isAnimated: boolean): boolean {
  const sampleBytes = depth === 'uchar' ? 1 : 2
  if (isAnimated && pages > MAX_FRAMES) return false
  return width * height <= MAX_PIXELS && width * height * Math.max(channels, 3) * sampleBytes <= MAX_DECODED_BYTES
}

/**
 * Runs `work` when it is the requester's turn; throws `rateLimitHit` if too many images of the requester are waiting.
 */
function queueDecoding<Result>(requester: Requester, work: () => Promise<Result>): Promise<Result> {
  return queue.run(requester, work)
}

/**
 * Runs one decoding step inside `queueDecoding`. Returns null for files that are not images, damaged images and images
 * that are too large.
 */
async function decodeImage<Result>(
  source: ImageSource,
  options: Pick<SharpOptions, 'animated'>,
  work: (picture: Pipeline, metadata: Metadata) => Promise<Result>,
): Promise<Result | null> {
  const sharp = await loadSharp()
  try {
    const picture = sharp(source, { ...options, limitInputPixels: MAX_PIXELS, failOn: 'error' })
    const metadata = await picture.metadata()
    if (!isAffordable(metadata, options.animated ?? false)) return null
    return await work(picture.timeout({ seconds: MAX_TIME }), metadata)
  } catch (error) {
    // The library reports undecodable images with plain errors.
    if (error instanceof Error && !('code' in error)) return null
    throw error
  }
}

/** The properties of an image as it is displayed. */
export type ImageFacts = { contentType: string; width: number; height: number; isAnimated: boolean }

/**
 * Reads the properties of an image from the beginning of its file. Returns null for files that are not images and for
 * images that are too large.
 */
export function inspectImage(source: ImageSource, requester: Requester): Promise<ImageFacts | null> {
  return queueDecoding(requester, () => readImageFacts(source))
}

/** Like `inspectImage`, for use inside `queueDecoding`. */
function readImageFacts(source: ImageSource): Promise<ImageFacts | null> {
  return decodeImage(source, {}, async (_picture, { format, autoOrient, pages = 1 }) => {
    if (!isShown(format)) return null
    const { contentType } = imageTypes[format]
    const { width, height } = autoOrient
    const isAnimated = pages > 1 && pages <= MAX_FRAMES && width * height * pages <= MAX_PIXELS
    return { contentType, width, height, isAnimated }
  })
}

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
