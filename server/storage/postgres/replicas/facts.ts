import { CompiledQuery } from 'kysely'
import pg from 'pg'

/** The facts that decide whether a server is a hot standby of the primary, and how far it has replayed the log. */
export type ServerFacts = {
  /** The identity of the cluster, which its standbys share. */
  readonly system: string
  readonly database: number
  readonly isStandby: number
  readonly timeline: number
  /** The end of the durable log of a primary, or of the replayed log of a standby, in bytes. */
  readonly lsn: number | null
}

/**
 * A transaction that is visible at the primary is in the durable log, unless its commit does not wait for the disk. A
 * standby stores its timeline at a checkpoint, so it may name the earlier one for some minutes after a failover.
 */
const PRIMARY_LSN = `case current_setting('synchronous_commit')
  when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end`
const PRIMARY_TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int`
const STANDBY_TIMELINE = `(select greatest("atCheckpoint".timeline_id, "replayed".min_recovery_end_timeline)
  from pg_control_checkpoint() as "atCheckpoint", pg_control_recovery() as "replayed")`

export const FACTS = `select (select system_identifier from pg_control_system())::text as "system",
  (select oid from pg_database where datname = current_database())::bigint as "database",
  pg_is_in_recovery() as "isStandby",
  case when pg_is_in_recovery() then ${STANDBY_TIMELINE} else ${PRIMARY_TIMELINE} end as "timeline",
  pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else ${PRIMARY_LSN} end, '0/0') as "lsn"`

/** A position in the log. Positions can be compared on one timeline. */
export type Position = { readonly timeline: number; readonly lsn: number }

export const PRIMARY_POSITION = CompiledQuery.raw(
  `select ${PRIMARY_TIMELINE} as "timeline", pg_wal_lsn_diff(${PRIMARY_LSN}, '0/0') as "lsn"`,
)

/** Returns the replayed position, or null at a server that is no standby. */
export const REPLAYED_POSITION = CompiledQuery.raw(
  `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end as "lsn"`,
)

export type ReplicaProblem = { readonly reason: string; readonly fix: string }

/** Returns why the server cannot be used as a replica of the primary, or null. */
export function findReplicaProblem(replica: ServerFacts, primary: ServerFacts): ReplicaProblem | null {
  if (replica.system !== primary.system)
    return {
      reason: 'it belongs to another PostgreSQL cluster than DATABASE_URL',
      fix: 'Name a standby of the primary in DATABASE_READ_URLS: one that pg_basebackup has copied from it.',
    }
  if (replica.isStandby === 0)
    return {
      reason: 'it is no standby: it is the primary, or it has been promoted',
      fix: 'Name hot standbys in DATABASE_READ_URLS. If this server is the new primary, name it in DATABASE_URL.',
    }
  if (replica.database !== primary.database)
    return {
      reason: 'its URL names another database than DATABASE_URL',
      fix: 'Write the name of the database of DATABASE_URL into this URL.',
    }
  if (replica.lsn === null)
    return {
      reason: 'it does not replay the log of the primary',
      fix: 'Check its primary_conninfo and its log. Parley can use standbys with physical (streaming) replication only.',
    }
  if (replica.timeline !== primary.timeline)
    return {
      reason: `it is on timeline ${replica.timeline} and the primary on ${primary.timeline}, as after a failover`,
      fix: 'Run CHECKPOINT on the replica. If the timelines still differ, set recovery_target_timeline = latest, or copy it again by pg_basebackup.',
    }
  return null
}

/** Returns the host and port of a URL, to name its server. */
export function serverName(url: string): string {
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? host : `${host}:${port}`
}
