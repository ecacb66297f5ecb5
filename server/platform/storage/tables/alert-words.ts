import type { Generated } from 'kysely'

export type AlertWordTables = {
  alertWords: {
    id: Generated<number>
    userId: number
    word: string
    /** The word in lower case: one word in any case is one. */
    wordKey: string
  }
}
