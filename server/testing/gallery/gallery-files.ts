import { crc32, deflateSync } from 'node:zlib'

type Color = readonly [red: number, green: number, blue: number]

/** Returns a PNG with two circles on a background, so that scaling and cropping can be seen. */
export function drawPicture(
  width: number,
  height: number,
  [ground, left, right]: readonly [Color, Color, Color],
): Buffer {
  const radius = Math.min(width, height) / 4
  const isIn = (x: number, y: number, part: number) => (x - width * part) ** 2 + (y - height * part) ** 2 < radius ** 2
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const color = isIn(x, y, 0.35) ? left : isIn(x, y, 0.65) ? right : ground
      rows.set(color, y * (1 + width * 3) + 1 + x * 3)
    }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits for each of three colors.
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** Returns a second of a quiet tone as a WAV file. */
function drawTone(): Buffer {
  const rate = 8000
  const samples = Buffer.from(Array.from({ length: rate }, (_, at) => 128 + Math.round(20 * Math.sin(at / 3))))
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

const SEA: Color = [176, 214, 220]
const FIELD: Color = [188, 214, 192]
const BLUE: Color = [84, 172, 190]
const GREEN: Color = [148, 192, 156]
const VIOLET: Color = [146, 152, 212]

/**
 * The files of the gallery by key. Its messages contain a key in braces, such as `{wide}`, in place of the address of a
 * file.
 */
export const galleryFiles: Readonly<Record<string, { name: string; make: () => Buffer }>> = {
  wide: { name: 'frame left.png', make: () => drawPicture(720, 480, [FIELD, GREEN, BLUE]) },
  second: { name: 'frame right.png', make: () => drawPicture(720, 480, [SEA, BLUE, VIOLET]) },
  tall: { name: 'tall.png', make: () => drawPicture(240, 720, [SEA, GREEN, VIOLET]) },
  panorama: { name: 'panorama.png', make: () => drawPicture(1600, 200, [FIELD, BLUE, VIOLET]) },
  small: { name: 'small.png', make: () => drawPicture(48, 48, [SEA, GREEN, BLUE]) },
  patch: { name: 'ferries.patch', make: () => Buffer.from('--- a\n+++ b\n') },
  report: {
    name: 'Quarterly report with a rather long name (final, corrected).pdf',
    make: () => Buffer.from('%PDF-1.4\n'),
  },
  tone: { name: 'voice memo.wav', make: drawTone },
  clip: { name: 'clip.mp4', make: () => Buffer.from('not really a video') },
}
