import type { Generated } from 'kysely'
import type { Bit, Json } from './columns.ts'

export type EventTables = {
  events: {
    realmId: number
    /** The ids follow the order of commits within the organization. They are allocated from `counters`. */
    id: number
    createdAt: number
    type: string
    payload: Json
    /**
     * The ids of the users who receive the event, fixed at commit. With an `audienceId`, they are those of the shared
     * audience without the `absentIds`, and the ids in `audience`.
     */
    audience: Json
    audienceId: number | null
    absentIds: Json | null
  }
  /** Large audiences to which many events refer; `userIds` is an ascending list. */
  audiences: { id: Generated<number>; realmId: number; userIds: Json; createdAt: number }
}

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
    /** The registration of the client, as defined in events/queues/event-queue.ts. */
    form: Json
    /** True if the queue receives the messages of all public channels. */
    hearsAllPublic: Bit
  }
}

export type StorageTables = {
  /**
   * Counters for ids that follow the order of commits. Each row is updated late in its transaction, and stays locked
   * until the commit.
   */
  counters: {
    name: string
    value: number
    /** In the row of message ids on PostgreSQL: the number of changes of who receives messages. */
    recipientChanges: Generated<number>
    /** The difference between two values: 1, or the number of databases that share the ids of messages. */
    step: Generated<number>
  }

  /** Facts about the installation: the id of its folder of files, and the time of the last start. */
  installation: { name: string; value: string }
}
