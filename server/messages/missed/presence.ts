import { sql } from 'kysely'

/** Seconds after somebody was last seen at a device from which on they count as away, though a client is connected. */
export const AWAY_AFTER = 200

/** Whether an event queue, by the name that the statement gives its row, is told of messages. */
export const receivesMessageEvents = (table: string) =>
  sql<boolean>`(${sql.ref(`${table}.form`)} like '%"eventTypes":null%' or ${sql.ref(`${table}.form`)} like '%"message"%')`
