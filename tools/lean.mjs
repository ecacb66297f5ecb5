/**
 * How Node holds the memory of a server small: a nursery of 2 MB a half, which its requests do not outgrow (and which
 * fits the cache of a core, so that nothing runs slower); leave to collect what the start has left behind; and two heaps
 * of the C library rather than one a thread.
 */
export const leanFlags = ['--max-semi-space-size=2', '--expose-gc']
export const leanEnvironment = { MALLOC_ARENA_MAX: '2' }
