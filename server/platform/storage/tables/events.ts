import type { Json } from './columns.ts'

export type EventTables = {
  events: {
    realmId: number
    /** In the order of commits within the organization, from `counters`. */
    id: number
    createdAt: number
    type: string
    payload: Json
    /** The ids of the users who receive it, fixed at commit. */
    audience: Json
  }
}
