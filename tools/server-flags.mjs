/**
 * The Node flags for a small server: a nursery of 2 MB in each half, which requests do not outgrow (and which fits into
 * the cache of a core, so that nothing runs slower); permission to collect the garbage of the start; and two heaps of
 * the C library rather than one per thread.
 */
export const serverFlags = ['--max-semi-space-size=2', '--expose-gc']
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }
