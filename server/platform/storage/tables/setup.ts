import type { Json } from './columns.ts'

export type SetupTables = {
  setupLinks: {
    /** SHA-256 of the token in the link, in hexadecimal. */
    hash: string
    expiresAt: number
    /** What was said at the steps so far; a password as its hash. */
    draft: Json
  }
}
