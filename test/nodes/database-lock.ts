import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SERVING_LOCK } from '#storage/postgres/exclusive-lock.ts'

/** Closes the connections with which servers hold the database lock, as a restart of PostgreSQL would. */
export async function closeLockConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'parley %, process %'`,
  )
  await client.end()
}

/**
 * Takes the database lock from all nodes, as a single-process server would, and holds it until the returned function is
 * called.
 */
export async function takeDatabaseLock(url: string): Promise<() => Promise<void>> {
  const [blocker, cutter] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  await Promise.all([blocker.connect(), cutter.connect()])
  const blocking = blocker.query('select pg_advisory_lock($1, $2)', [...SERVING_LOCK])
  let isTaken = false
  blocking.then(
    () => {
      isTaken = true
    },
    () => {},
  )
  // Nodes with NATS do not hold the lock.
  while (!isTaken && !(await isLockAwaited(cutter))) await sleep(10)
  await closeLockConnections(url)
  await Promise.all([blocking, cutter.end()])
  return () => blocker.end()
}

/** Waits until a session waits for an advisory lock of the database of this client. */
export async function untilLockIsAwaited(client: pg.Client): Promise<void> {
  while (!(await isLockAwaited(client))) await sleep(10)
}

async function isLockAwaited(client: pg.Client): Promise<boolean> {
  const waiting = `select 1 from pg_locks join pg_database on oid = database
    where locktype = 'advisory' and not granted and datname = current_database()`
  return (await client.query(waiting)).rows.length > 0
}
