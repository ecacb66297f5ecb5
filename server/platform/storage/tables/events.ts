import type { Json } from './columns.ts'

export type EventTables = {
  events: {
    realmId: number
    /** Follows the order of commits within the organization; allocated from `counters`. */
    id: number
    createdAt: number
    type: string
    payload: Json
    /** The ids of the users who receive it, fixed at commit. */
    audience: Json
  }
}
