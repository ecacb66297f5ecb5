import type { Generated } from 'kysely'
import type { Json } from './columns.ts'

export type DraftTables = {
  drafts: {
    id: Generated<number>
    userId: number
    /** `stream`, `private`, or empty while the draft has no recipient. */
    type: string
    /** The id of the channel, or the ids of the users. */
    recipientIds: Json
    topic: string
    content: string
    editedAt: number
  }
}
