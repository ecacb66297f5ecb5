/**
 * How Node runs a server, small: a nursery of 2 MB a half, which its requests do not outgrow (and which fits the cache of
 * a core, so that nothing runs slower); leave to collect what the start has left behind; and two heaps of the C library
 * rather than one a thread.
 */
export const serverFlags = ['--max-semi-space-size=2', '--expose-gc']
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }
