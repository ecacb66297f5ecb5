import { crc32 } from 'node:zlib'
import { readSettings } from '#config.ts'
import { canResize, loadSharp } from '#lib/images.ts'

/** The reason to skip tests that resize images; false if they can run. */
export const noResizing = canResize(readSettings({})) ? false : 'the optional package sharp is not installed'

/** Returns an image with a single color. */
export async function picture(width: number, height: number, format: 'png' | 'jpeg' | 'webp' = 'png'): Promise<Buffer> {
  const sharp = await loadSharp()
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .toFormat(format)
    .toBuffer()
}

/** A GIF of two frames, 20 by 10 pixels. */
export const movingPicture = Buffer.from(
  'R0lGODlhFAAKAIAAAExpcf8AACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFCgAAACwAAAAAFAAKAAACDIyPqcvtD6OctNrrCgAh+QQFCgAAACwAAAAAFAAK' +
    'AIBMaXEAAP8CDIyPqcvtD6OctNrrCgA7',
  'base64',
)

const dword = (value: number) => Buffer.from(new Uint32Array([value]).buffer).reverse()

/** Returns the beginning of a PNG with this size and bit depth in its header and no data. */
export function announcedPicture(width: number, height: number, bits: 8 | 16 = 8): Buffer {
  const truecolourWithAlpha = 6
  const header = [dword(width), dword(height), Buffer.from([bits, truecolourWithAlpha, 0, 0, 0])]
  const body = Buffer.concat([Buffer.from('IHDR'), ...header])
  // A chunk of data has to begin for the header to be read.
  const data = Buffer.concat([dword(1), Buffer.from('IDAT')])
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), dword(13), body, dword(crc32(body)), data])
}

/** Returns `movingPicture` with the given number of frames. */
export function longPicture(frames: number): Buffer {
  const [header, frame] = [movingPicture.subarray(0, 38), movingPicture.subarray(38, 71)]
  return Buffer.concat([header, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
}

/** A PNG of 20 by 20 pixels, light on the left and dark on the right, for tests that need no particular image. */
export const smallPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABQAAAAUCAAAAACo4kLRAAAAFElEQVR42mN4Agez4IBhVHAwCQIAAP4qgPCu/mgAAAAASUVORK5CYII=',
  'base64',
)
