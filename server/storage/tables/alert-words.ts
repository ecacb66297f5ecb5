import type { Generated } from 'kysely'

export type AlertWordTables = {
  alertWords: {
    id: Generated<number>
    userId: number
    word: string
    /** The word in lower case, unique for each user. */
    wordKey: string
  }
}
