import type { Json } from './columns.ts'

export type EventTables = {
  events: {
    realmId: number
    /** The ids follow the order of commits within the organization. They are allocated from `counters`. */
    id: number
    createdAt: number
    type: string
    payload: Json
    /** The ids of the users who receive the event. They are fixed at commit. */
    audience: Json
  }
}
