/** Returns whether web/dist was built from the current sources. */
export function isWebBuilt(root: string): boolean

/** Resolves to the output of a failed build, which keeps the existing client; null if it succeeded. */
export function buildWeb(root: string, node?: string): Promise<string | null>
