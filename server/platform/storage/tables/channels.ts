import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type ChannelTables = {
  channels: {
    id: Generated<number>
    realmId: number
    recipientId: number
    name: string
    /** The name in lower case: unique in its organization. */
    nameKey: string
    /** When the name was last changed; null where it never was, or was before times of it were kept. */
    renamedAt: number | null
    description: string
    renderedDescription: string
    isPrivate: Bit
    isWebPublic: Bit
    /** Whether a subscriber may read what was sent before they came. */
    isHistoryShared: Bit
    creatorId: number | null
    createdAt: number
    archivedAt: number | null
    messageRetentionDays: number | null
    /** No message is deleted by that before this moment; null where it was never changed. */
    retentionFrom: number | null
    /** The permission settings that differ from their defaults, by API name. */
    settings: Json
  }

  defaultChannels: { realmId: number; channelId: number }
}
