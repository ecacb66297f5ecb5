/** Loads what stands in this project with few questions to the disk; see there. */
export const quickFlags = ['--import', new URL('quick-resolve.mjs', import.meta.url).href]

/**
 * How Node runs a server: quickly loaded, and small. A nursery of 2 MB a half, which its requests do not outgrow (and which
 * fits the cache of a core, so that nothing runs slower); leave to collect what the start has left behind; and two heaps
 * of the C library rather than one a thread.
 */
export const serverFlags = ['--max-semi-space-size=2', '--expose-gc', ...quickFlags]
export const serverEnvironment = { MALLOC_ARENA_MAX: '2' }
