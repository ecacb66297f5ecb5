/** The built form of a script of the server, such as `server/main.ts`; null where it was not built of the sources as they are. */
export function builtScript(root: string, script: string): string | null

/** Resolves to what the build said when it failed, or why nothing can be written; null when it succeeded. */
export function buildServer(root: string, node?: string): Promise<string | null>
