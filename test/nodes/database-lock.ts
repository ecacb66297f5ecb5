import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SERVING_LOCK } from '../../server/platform/storage/postgres/exclusive-lock.ts'

/** Cuts the connections by which servers have their places at the database, as PostgreSQL would that restarts. */
export async function closeLockConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'parley, process %'`,
  )
  await client.end()
}

/**
 * Takes from all nodes their places at the database, as a program would that has it alone, and keeps them out until what
 * is returned is called.
 */
export async function takeDatabaseLock(url: string): Promise<() => Promise<void>> {
  const [blocker, cutter] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([blocker.connect(), cutter.connect()])
  const blocking = blocker.query('select pg_advisory_lock($1, $2)', [...SERVING_LOCK])
  await waitForLockWaiter(cutter)
  await closeLockConnections(url)
  await Promise.all([blocking, cutter.end()])
  return () => blocker.end()
}

/** Waits until somebody waits for an advisory lock of the database to which the client is connected. */
export async function waitForLockWaiter(client: pg.Client): Promise<void> {
  const waiting = `select 1 from pg_locks join pg_database on oid = database
    where locktype = 'advisory' and not granted and datname = current_database()`
  while ((await client.query(waiting)).rows.length === 0) await sleep(10)
}
