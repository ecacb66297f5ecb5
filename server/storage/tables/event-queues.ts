import type { Bit, Json } from './columns.ts'

export type EventQueueTables = {
  /** The position of a client in its organization's events, and the events that it registered for. */
  eventQueues: {
    /** Opaque to clients, and not guessable. */
    id: string
    realmId: number
    userId: number
    registeredAt: number
    /** The last event before the queue was created. */
    startId: number
    /** The last event that the client has acknowledged. */
    acknowledgedId: number
    polledAt: number
    /** The maximum time without a poll, in seconds. */
    lifespan: number
    /** The registration of the client, as defined in events/queues/queue.ts. */
    form: Json
    /** True if the queue receives the messages of all public channels. */
    hearsAllPublic: Bit
  }
}
