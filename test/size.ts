/**
 * The sizes of tests with random input, repetitions or races: small in every run, and full with `npm run test:long`.
 */

/** True if tests run in full size, as PARLEY_TEST_LONG=1 requests. */
export const isLong: boolean = process.env['PARLEY_TEST_LONG'] === '1'

/** Returns the size to run with: `small` by default, `full` in a long run. */
export const sized = (small: number, full: number): number => (isLong ? full : small)
