import type { Sharp as Pipeline, SharpOptions } from 'sharp'
import { loadSharp } from './sharp.ts'

/** A picture's bytes, or where they lie. */
export type Source = Buffer | string

/** What more pixels than this would take is not worth any picture: with all frames, and of those alone that move. */
const MAX_PIXELS = 90_000_000
const MAX_MOVING_PIXELS = 30_000_000

/** So many pictures are worked on at a time, off the event loop; all others wait. */
const MAX_AT_A_TIME = 2

/** In seconds, after which work on a picture is given up. */
const MAX_TIME = 20

let working = 0
const waiting: (() => void)[] = []

/** Null where the bytes are no picture, a damaged one, or one of too many pixels. */
export async function decoding<Result>(
  source: Source,
  options: Pick<SharpOptions, 'animated'>,
  work: (picture: Pipeline) => Promise<Result>,
): Promise<Result | null> {
  const sharp = await loadSharp()
  if (working >= MAX_AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve))
  else working += 1
  try {
    const picture = sharp(source, { ...options, limitInputPixels: MAX_PIXELS, failOn: 'error' })
    return await work(picture.timeout({ seconds: MAX_TIME }))
  } catch (error) {
    // The library tells nothing else of what it cannot decode.
    if (error instanceof Error && !('code' in error)) return null
    throw error
  } finally {
    const next = waiting.shift()
    if (next === undefined) working -= 1
    else next()
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

/** Reads the beginning of the file. Null for what is no picture, and for pictures of too many pixels. */
export function inspectImage(source: Source): Promise<ImageFacts | null> {
  return decoding(source, { animated: true }, async (picture) => {
    const { format, autoOrient, pages = 1, pageHeight } = await picture.metadata()
    const contentType = CONTENT_TYPES[format]
    const { width } = autoOrient
    const height = pageHeight ?? autoOrient.height
    if (contentType === undefined || width * height > MAX_PIXELS) return null
    const isAnimated = pages > 1 && width * height * pages <= MAX_MOVING_PIXELS
    return { contentType, width, height, isAnimated }
  })
}
