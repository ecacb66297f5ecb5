import type { Generated } from 'kysely'
import type { Bit } from './columns.ts'

export type SessionTables = {
  sessions: {
    id: Generated<number>
    userId: number
    /** SHA-256 of the token in the cookie, in hexadecimal. */
    hash: string
    /** True if the session survives closing the browser. */
    isKept: Bit
    /** The names of browser and operating system; '' if they are unknown. */
    browser: Generated<string>
    openedAt: number
    expiresAt: number
  }
}
