import type { Generated } from 'kysely'
import type { Bit } from './columns.ts'

export type SessionTables = {
  sessions: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the token in the cookie, in hexadecimal. */
    hash: string
    /** Whether the browser keeps it when it is closed. */
    isKept: Bit
    openedAt: number
    expiresAt: number
  }
}
