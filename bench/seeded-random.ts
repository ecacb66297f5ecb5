import type { Random } from '../server/platform/security/random.ts'

/** The same numbers at each run of the bench. */
export type SeededRandom = Random & {
  /** From 0 up to 1, which is left out. */
  fraction(): number
  /** A whole number from 0 up to `limit`, which is left out. */
  below(limit: number): number
}

/** Mulberry32: fast, even, and no secret. */
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
