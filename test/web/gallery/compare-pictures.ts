import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { loadSharp } from '#lib/images.ts'

const BASELINES = path.join(import.meta.dirname, 'pictures')
const SEEN = path.join(import.meta.dirname, '../../../.cache/screenshots/gallery')

/** True if the pictures of this run become the expected ones. */
const updatesPictures = process.env['PARLEY_UPDATE_PICTURES'] === '1'

/** The share of blocks that may differ, and the largest difference of a color channel between equal blocks. */
const MAX_SHARE = 0.001
const MAX_DELTA = 28

type Pixels = { data: Buffer; width: number; height: number }

/** Puts pictures below each other and returns them as a small WebP file. */
export async function stack(pictures: readonly Buffer[]): Promise<Buffer> {
  const sharp = await loadSharp()
  const parts = await Promise.all(
    pictures.map(async (input) => {
      const { width, height } = await sharp(input).metadata()
      return { input, width, height }
    }),
  )
  const gap = 8
  let top = 0
  const placed = parts.map(({ input, height }) => {
    const at = { input, left: 0, top }
    top += height + gap
    return at
  })
  const width = Math.max(...parts.map((part) => part.width))
  return sharp({ create: { width, height: top, channels: 3, background: '#808080' } })
    .composite(placed)
    .webp({ quality: 45, effort: 6 })
    .toBuffer()
}

/** Returns the problem with a picture; null if it looks like the expected one, or replaces it. */
export async function findDifference(name: string, seen: Buffer): Promise<string | null> {
  const file = path.join(BASELINES, `${name}.webp`)
  if (updatesPictures) {
    await mkdir(BASELINES, { recursive: true })
    // Unchanged pictures keep their bytes, so that a commit contains only changed ones.
    if (!existsSync(file) || (await differs(await readFile(file), seen)) !== null) await writeFile(file, seen)
    return null
  }
  const problem = existsSync(file) ? await differs(await readFile(file), seen) : 'there is no expected picture'
  if (problem === null) return null
  await mkdir(SEEN, { recursive: true })
  await writeFile(path.join(SEEN, `${name}.webp`), seen)
  return `${name}: ${problem}`
}

async function differs(expected: Buffer, seen: Buffer): Promise<string | null> {
  const [one, other] = [await blocksOf(expected), await blocksOf(seen)]
  if (one.width !== other.width || one.height !== other.height)
    return `${other.width * 2} x ${other.height * 2} pixels instead of ${one.width * 2} x ${one.height * 2}`
  let count = 0
  for (let at = 0; at < one.data.length; at += 3) if (deltaAt(one.data, other.data, at) > MAX_DELTA) count++
  const share = count / (one.width * one.height)
  return share > MAX_SHARE ? `${(share * 100).toFixed(2)} % of it differ` : null
}

/** Averages blocks of two by two pixels, so that the smoothing of letters does not count. */
async function blocksOf(file: Buffer): Promise<Pixels> {
  const sharp = await loadSharp()
  const { width, height } = await sharp(file).metadata()
  const size = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const data = await sharp(file)
    .resize({ ...size, kernel: 'linear' })
    .removeAlpha()
    .raw()
    .toBuffer()
  return { data, ...size }
}

const deltaAt = (one: Buffer, other: Buffer, at: number) =>
  Math.max(...[0, 1, 2].map((channel) => Math.abs(one[at + channel]! - other[at + channel]!)))
