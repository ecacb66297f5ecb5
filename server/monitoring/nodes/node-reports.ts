import type { JobHistory } from '#lib/jobs.ts'
import type { Db, ReplicaState, Storage, Transaction } from '#storage/storage.ts'

/** The state of a node. Times are UNIX seconds. */
export type NodeReport = {
  /** The machine and the process, as in the log. Nodes of earlier versions do not report them. */
  readonly host?: string
  readonly processId?: number
  readonly reportedAt: number
  readonly startedAt: number
  readonly version: string
  readonly commit: string | null
  readonly isLeader: boolean
  readonly memoryBytes: number
  /** The polls that wait for an event. */
  readonly clients: number
  readonly jobs: Readonly<Record<string, JobHistory>>
  /** Null without NATS_URL. Nodes of earlier versions do not report it. */
  readonly isConnectedToNats?: boolean | null
  /** The replicas of the database as the node sees them. Nodes of earlier versions do not report them. */
  readonly replicas?: readonly ReplicaState[]
}

/** The beginning of the names of rows in `installation` with such reports. */
const PREFIX = 'node '

/** Milliseconds between two reports of a node. */
const INTERVAL = 60_000

/** Seconds after which the report of a node that has stopped is left out, and deleted by the next report of another. A node that ends in order deletes its own. */
const KEPT_FOR = 180

type Options = { storage: Storage; id: string; report: () => NodeReport }

/** Lets nodes see each other's state, which each writes once a minute. A process alone writes nothing. */
export function openNodeReports({ storage, id, report }: Options) {
  const name = PREFIX + id
  let timer: NodeJS.Timeout | undefined

  async function save(): Promise<void> {
    const own = report()
    // Without the database, there is nothing to report to.
    await storage.transaction((tx) => saveReport(tx, name, own)).catch(() => undefined)
  }

  return {
    async nodes(): Promise<NodeReport[]> {
      const own = report()
      if (!storage.isShared) return [own]
      const others = (await findReports(storage.db)).filter((row) => row.name !== name)
      return [own, ...others.map((row) => row.report).filter((other) => isCurrent(other, own.reportedAt))]
    },
    start(): void {
      if (!storage.isShared) return
      void save()
      timer = setInterval(() => void save(), INTERVAL).unref()
    },
    async stop(): Promise<void> {
      if (timer === undefined) return
      clearInterval(timer)
      await storage
        .transaction((tx) => tx.deleteFrom('installation').where('name', '=', name).execute())
        .catch(() => undefined)
    },
  }
}

const isCurrent = ({ reportedAt }: NodeReport, now: number) => now - reportedAt < KEPT_FOR

async function findReports(db: Db): Promise<{ name: string; report: NodeReport }[]> {
  const rows = await db.selectFrom('installation').selectAll().where('name', 'like', `${PREFIX}%`).execute()
  return rows.map(({ name, value }) => ({ name, report: JSON.parse(value) as NodeReport }))
}

async function saveReport(tx: Transaction, name: string, report: NodeReport): Promise<void> {
  const value = JSON.stringify(report)
  await tx
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
  const ended = (await findReports(tx.db)).filter((row) => !isCurrent(row.report, report.reportedAt))
  if (ended.length === 0) return
  const names = ended.map((row) => row.name)
  await tx.deleteFrom('installation').where('name', 'in', names).execute()
}
