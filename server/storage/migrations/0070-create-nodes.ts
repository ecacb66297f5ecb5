import type { Migrator } from '../schema.ts'

/**
 * Creates the tables with which nodes with NATS_URL find each other, on PostgreSQL. They are not logged: after a crash
 * of PostgreSQL they are empty, and each node joins again and reads everything anew. The first node may create them
 * before it migrates an older database.
 */
export async function createNodes({ dialect, run }: Migrator): Promise<void> {
  if (dialect !== 'postgres') return
  for (const statement of NODE_TABLES) await run(statement)
}

export const NODE_TABLES: readonly string[] = [
  `create unlogged table if not exists "nodes" (
  "id" text primary key,
  "program" bigint not null,
  "description" text not null,
  "isPreparing" bigint not null,
  "seenAt" double precision not null,
  "readUpTo" xid8 not null
)`,
  `create unlogged table if not exists "nodeLeader" (
  "role" text primary key,
  "node" text not null,
  "seenAt" double precision not null
)`,
  `create unlogged table if not exists "nodeMessages" (
  "xid" xid8 not null default pg_current_xact_id(),
  "id" bigserial not null,
  "node" text not null,
  "message" text not null,
  "isOrdered" bigint not null,
  "sentAt" double precision not null default extract(epoch from clock_timestamp()),
  primary key ("xid", "id")
)`,
]
