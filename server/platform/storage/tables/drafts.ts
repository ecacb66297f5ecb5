import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type DraftTables = {
  drafts: {
    id: Generated<number>
    userId: number
    /** `stream`, `private`, or empty while it is for nobody. */
    type: string
    /** The id of the channel, or those of the people. */
    recipientIds: Json
    topic: string
    content: string
    editedAt: number
  }
}
