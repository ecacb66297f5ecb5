/** Builds a folder into another one inside of it, on the Node that it is given; what was said when it failed, else null. */
export function viteBuild(root: string, folder: string, into: string, node: string): Promise<string | null>
