import { randomInt } from 'node:crypto'

/**
 * The sizes of tests with random input, repetitions or races: small in every run, and full with `npm run test:long`.
 */

/** True if tests run in full size, as PARLEY_TEST_LONG=1 requests. */
export const isLong: boolean = process.env['PARLEY_TEST_LONG'] === '1'

/** Returns the size to run with: `small` by default, `full` in a long run. */
export const sized = (small: number, full: number): number => (isLong ? full : small)

/** True if tests take pictures of all screens that they check: in a long run, and if the developer selected files. */
export const takesScreenshots: boolean = isLong || process.env['PARLEY_TEST_SCREENSHOTS'] === '1'

/**
 * The seed of random values: that of PARLEY_TEST_SEED, which repeats another run. Except in a long run, the runner sets it
 * to a number that depends on the sources alone, so that all runs of the same sources check the same.
 */
export const seed: number = Number(process.env['PARLEY_TEST_SEED'] ?? randomInt(2 ** 32))
