import type { Json } from './columns.ts'

export type SetupTables = {
  setupLinks: {
    /** SHA-256 of the token in the link, in hexadecimal. */
    hash: string
    expiresAt: number
    /** The entries of the completed steps; passwords are hashed. */
    draft: Json
  }
}
