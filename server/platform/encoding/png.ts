import { crc32, deflateSync } from 'node:zlib'

/** Samples for each pixel along one side: edges come out smooth. */
const SAMPLES = 4

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const GREYSCALE = 0

/**
 * A square picture in shades of grey: `isInk` says of points between 0 and 1, counted from the top left, whether they
 * belong to the figure.
 */
export function drawPng(size: number, isInk: (x: number, y: number) => boolean): Buffer {
  const [paper, ink] = [0xe4, 0x9a]
  const rows: Buffer[] = []
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(size + 1)
    for (let x = 0; x < size; x += 1) row[x + 1] = Math.round(paper + (ink - paper) * coverage(x, y, size, isInk))
    rows.push(row)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, GREYSCALE, 0, 0, 0], 8)
  const data = deflateSync(Buffer.concat(rows), { level: 9 })
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

/** How much of a pixel is ink. */
function coverage(x: number, y: number, size: number, isInk: (x: number, y: number) => boolean): number {
  let inked = 0
  for (let sample = 0; sample < SAMPLES ** 2; sample += 1) {
    const [right, down] = [(sample % SAMPLES) + 0.5, Math.floor(sample / SAMPLES) + 0.5]
    if (isInk((x + right / SAMPLES) / size, (y + down / SAMPLES) / size)) inked += 1
  }
  return inked / SAMPLES ** 2
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
