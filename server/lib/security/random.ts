import { randomFillSync } from 'node:crypto'

/** The source of all secrets, file names and colors. Tests may replace it with a source that they can replay. */
export type Random = { bytes(count: number): Buffer }

/** The operating system's generator. It is read in large blocks; bytes are returned once and then erased. */
export const systemRandom: Random = drawFrom(Buffer.alloc(4096))

function drawFrom(stock: Buffer): Random {
  let used = stock.length
  return {
    bytes(count) {
      if (count > stock.length) return randomFillSync(Buffer.alloc(count))
      if (used + count > stock.length) {
        randomFillSync(stock)
        used = 0
      }
      const drawn = Buffer.from(stock.subarray(used, used + count))
      stock.fill(0, used, used + count)
      used += count
      return drawn
    },
  }
}
