/** Whether web/dist was built of the sources as they are. */
export function isWebBuilt(root: string): boolean

/** Resolves to what the build said when it failed, which leaves the client that was there; null when it succeeded. */
export function buildWeb(root: string, node?: string): Promise<string | null>
