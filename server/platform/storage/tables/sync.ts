import type { Bit, Json } from './columns.ts'

export type SyncTables = {
  /** Where a client is in its organization's events, and what it wants to hear. */
  eventQueues: {
    /** Opaque to clients, and not to be guessed. */
    id: string
    realmId: number
    userId: number
    registeredAt: number
    /** The last event before the queue began. */
    startId: number
    /** Its client has all events up to here. */
    acknowledgedId: number
    polledAt: number
    /** How long it may go without a poll, in seconds. */
    lifespan: number
    /** What the client registered: events/queues/queue.ts. */
    form: Json
    /** Whether messages of all public channels go into it. */
    hearsAllPublic: Bit
  }
}
