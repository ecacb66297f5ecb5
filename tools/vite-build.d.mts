/**
 * Builds a folder into another one inside of it, with the given Node; resolves to the output of a failed build,
 * otherwise null.
 */
export function viteBuild(root: string, folder: string, into: string, node: string): Promise<string | null>

/** Returns a hash of the sources of some folders, without tests and builds, and of the packages. */
export function hashOf(root: string, ...folders: string[]): string
