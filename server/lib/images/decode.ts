import type { Sharp as Pipeline, SharpOptions } from 'sharp'
import { openFairQueue, type Requester } from '../jobs/fair-queue.ts'
import { systemClock } from '../runtime/clock.ts'
import { loadSharp } from './sharp.ts'

/** The bytes of an image, or the path of its file. */
export type ImageSource = Buffer | string

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
export function queueDecoding<Result>(requester: Requester, work: () => Promise<Result>): Promise<Result> {
  return queue.run(requester, work)
}

/**
 * Runs one decoding step inside `queueDecoding`. Returns null for files that are not images, damaged images and images
 * that are too large.
 */
export async function decodeImage<Result>(
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

const CONTENT_TYPES: Record<string, string> = {
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  png: 'image/png',
  webp: 'image/webp',
}

/**
 * Reads the properties of an image from the beginning of its file. Returns null for files that are not images and for
 * images that are too large.
 */
export function inspectImage(source: ImageSource, requester: Requester): Promise<ImageFacts | null> {
  return queueDecoding(requester, () => readImageFacts(source))
}

/** Like `inspectImage`, for use inside `queueDecoding`. */
export function readImageFacts(source: ImageSource): Promise<ImageFacts | null> {
  return decodeImage(source, {}, async (_picture, { format, autoOrient, pages = 1 }) => {
    const contentType = CONTENT_TYPES[format]
    if (contentType === undefined) return null
    const { width, height } = autoOrient
    const isAnimated = pages > 1 && pages <= MAX_FRAMES && width * height * pages <= MAX_PIXELS
    return { contentType, width, height, isAnimated }
  })
}
