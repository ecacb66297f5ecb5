import { randomBytes } from 'node:crypto'

/** Where every secret, file name and colour comes from; a test may inject one that it can replay. */
export type Random = { bytes(count: number): Buffer }

/** The operating system's generator. */
export const systemRandom: Random = { bytes: (count) => randomBytes(count) }
