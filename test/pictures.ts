import { readSettings } from '../server/config.ts'
import { canResize, loadSharp } from '../server/images/sharp.ts'

/** Why tests that need pictures resized are skipped; false where they are not. */
export const noResizing = canResize(readSettings({})) ? false : 'the optional package sharp is not installed'

/** A picture of one colour. */
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
