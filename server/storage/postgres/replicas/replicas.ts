import type { Log } from '#lib/log.ts'
import type { Replicas, RunStatement } from '../../transactions/engine.ts'
import type { Connections } from '../pool.ts'
import { FACTS, type Position, PRIMARY_POSITION } from './facts.ts'
import { Replica } from './replica.ts'
import { sharedReading } from './shared-reading.ts'

export type OpenReplicas = Replicas & {
  giveUp(): void
  close(): Promise<void>
}

type ReplicasOptions = {
  urls: readonly string[]
  log: Log
  /** The maximum number of connections to each replica. */
  maxConnections: number
  primary: Connections
  readPrimary: RunStatement
}

/** Opens the replicas. Those that cannot be used are logged, and tried again from time to time. */
export async function openReplicas(options: ReplicasOptions): Promise<OpenReplicas> {
  const { urls, log, maxConnections, primary, readPrimary } = options
  const findPrimary = sharedReading(async () => (await primary.pool.query(FACTS)).rows[0])
  const findPosition = sharedReading(async () => (await readPrimary(PRIMARY_POSITION)).rows[0] as Position)
  const replicas = urls.map((url) => new Replica({ url, log, maxConnections, findPrimary }))
  const counts = { replica: 0, primary: 0 }
  let turn = 0

  /** Returns a replica that need not wait, or else any that can be used. They take turns. */
  function choose(position: Position): Replica | null {
    turn += 1
    const usable = replicas.filter((replica) => replica.isUsable(position))
    const ready = usable.filter((replica) => replica.hasReplayed(position))
    const some = ready.length > 0 ? ready : usable
    return some[turn % some.length] ?? null
  }

  /**
   * The first read asks the primary for the end of its log, and a replica runs the reads if it has replayed the log until
   * there. Otherwise, and after any failure, the primary runs this read and the following ones.
   */
  function beginReads(): RunStatement {
    let position: Promise<Position> | null = null
    let chosen: Replica | null = null
    // After a read of the primary, a replica could lack what that read has seen.
    let isOnPrimary = !replicas.some(({ isUp }) => isUp)
    return async (query) => {
      if (!isOnPrimary)
        try {
          position ??= findPosition()
          const at = await position
          chosen ??= choose(at)
          if (chosen !== null) {
            const result = await chosen.read(query, at)
            counts.replica += 1
            return result
          }
        } catch {
          // The primary either runs the statement, or reports what is wrong with it.
        }
      isOnPrimary = true
      counts.primary += 1
      return readPrimary(query)
    }
  }

  await Promise.all(replicas.map((replica) => replica.watch()))
  return {
    beginReads,
    reads: () => ({ counts: { ...counts }, replicas: replicas.map((replica) => replica.state()) }),
    giveUp() {
      for (const replica of replicas) replica.giveUp()
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}
