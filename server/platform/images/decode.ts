import type { Sharp as Pipeline, SharpOptions } from 'sharp'
import { openFairQueue, type Requester } from '../jobs/fair-queue.ts'
import { systemClock } from '../runtime/clock.ts'
import { loadSharp } from './sharp.ts'

/** A picture's bytes, or where they lie. */
export type ImageSource = Buffer | string

/** Larger pictures are not decoded. Of a picture that moves, the pixels of all its frames count. */
const MAX_PIXELS = 25_000_000

/** Each frame costs time of its own, however small it is. */
const MAX_FRAMES = 500

/** Of the pixels at four channels of 8 bits: a picture of 16 bits may have half as many. */
const MAX_DECODED_BYTES = 4 * MAX_PIXELS

/** Seconds after which a step of the work on a picture is given up: the largest one takes less than one of a processor. */
const MAX_TIME = 10

/** Pictures are decoded beside the event loop, and on no more than two processors. */
const queue = openFairQueue({
  clock: systemClock(),
  concurrency: 2,
  maxWaitingEach: 10,
  maxWaiting: 100,
  retryAfter: 5,
})

type Metadata = Awaited<ReturnType<Pipeline['metadata']>>

/** Whether decoding the picture takes an ordinary amount of time and memory. */
function isAffordable({ width, height, channels, depth, pages = 1 }: Metadata, isAnimated: boolean): boolean {
  const sampleBytes = depth === 'uchar' ? 1 : 2
  if (isAnimated && pages > MAX_FRAMES) return false
  return width * height <= MAX_PIXELS && width * height * Math.max(channels, 3) * sampleBytes <= MAX_DECODED_BYTES
}

/** Works on pictures when the turn of the person comes; throws `rateLimitHit` when too many of theirs wait. */
export function queueDecoding<Result>(turn: Requester, work: () => Promise<Result>): Promise<Result> {
  return queue.run(turn, work)
}

/**
 * One step of the work on a picture, within `decoding`. Null where the bytes are no picture, a damaged one, or one that is
 * too large.
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
    // The library tells nothing else of what it cannot decode.
    if (error instanceof Error && !('code' in error)) return null
    throw error
  }
}

/** What a picture is, as it is to be shown. */
export type ImageFacts = { contentType: string; width: number; height: number; isAnimated: boolean }

const CONTENT_TYPES: Record<string, string> = {
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  png: 'image/png',
  webp: 'image/webp',
}

/** Reads the beginning of the file. Null for what is no picture, and for pictures that are too large. */
export function inspectImage(source: ImageSource, turn: Requester): Promise<ImageFacts | null> {
  return queueDecoding(turn, () => readImageFacts(source))
}

/** As `inspectImage`, within `decoding`. */
export function readImageFacts(source: ImageSource): Promise<ImageFacts | null> {
  return decodeImage(source, {}, async (_picture, { format, autoOrient, pages = 1 }) => {
    const contentType = CONTENT_TYPES[format]
    if (contentType === undefined) return null
    const { width, height } = autoOrient
    const isAnimated = pages > 1 && pages <= MAX_FRAMES && width * height * pages <= MAX_PIXELS
    return { contentType, width, height, isAnimated }
  })
}
