/**
 * Returns the built form of a script of the server, such as `server/main.ts`; null if the build does not match the
 * current sources.
 */
export function builtScript(root: string, script: string): string | null

/** Resolves to the output of a failed build, or the reason why nothing can be written; null if it succeeded. */
export function buildServer(root: string, node?: string): Promise<string | null>
