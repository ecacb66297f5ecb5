import type { Random } from '#lib/secrets.ts'

/** Random numbers that are the same in each run of the bench. */
export type SeededRandom = Random & {
  /** Returns a number from 0 to 1, exclusively. */
  fraction(): number
  /** Returns an integer from 0 to `limit`, exclusively. */
  below(limit: number): number
}

/** Returns the generator Mulberry32, which is fast and uniform, but not secret. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return { fraction, below, bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))) }
}
