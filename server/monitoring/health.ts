import { hostname } from 'node:os'
import { z } from 'zod'
import type { EventHub } from '#events/event-hub.ts'
import { type Endpoint, endpoint } from '#http/endpoint.ts'
import type { Job, JobHistory } from '#lib/jobs.ts'
import { programCommit, programVersion } from '#lib/process.ts'
import { FEATURE_LEVEL } from '#lib/protocol.ts'
import { maySeeServer, mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import type { Storage } from '#storage/storage.ts'
import { findBackupState } from '#transfer/backups.ts'
import { findDisks } from './metrics/disks.ts'
import { findDeferred, findFailingWebhooks, findWaiting, findWaitingMails } from './metrics/waiting.ts'
import { type NodeReport, openNodeReports } from './nodes/node-reports.ts'
import { canReadFiles } from './nodes/probes.ts'

// The health of the server and of an organization, for the page of administrators. Facts about the whole server are for
// administrators of the root organization; where everyone can create organizations, for its owners only. Administrators
// of all other organizations see what is theirs.

/** A background job with what it does, in words. */
export type DescribedJob = { readonly name: string; readonly does: string; readonly job: Job }

/** The parts of a server whose health is shown. */
export type HealthParts = {
  storage: Storage
  hub: EventHub
  clock: { now(): number }
  startedAt: number
  random: { bytes(length: number): Buffer }
  jobs: readonly DescribedJob[]
}

export type Health = {
  readonly storage: Storage
  readonly jobs: readonly DescribedJob[]
  /** Returns the reports of all nodes that are running, this one first. */
  nodes(): Promise<NodeReport[]>
  /** Begins to report this node to the others, if there are any. */
  start(): void
  /** Ends the reports, and deletes that of this node. */
  stop(): Promise<void>
}

export function openHealth({ storage, hub, clock, startedAt, random, jobs }: HealthParts): Health {
  const reports = openNodeReports({
    storage,
    id: random.bytes(9).toString('base64url'),
    report: () => ({
      host: hostname(),
      processId: process.pid,
      reportedAt: clock.now(),
      startedAt,
      version: programVersion,
      commit: programCommit,
      isLeader: storage.isLeader(),
      memoryBytes: process.memoryUsage.rss(),
      clients: hub.counts().waitingPolls,
      jobs: Object.fromEntries(jobs.map(({ name, job }) => [name, job.history()])),
      isConnectedToNats: storage.bus()?.isConnected ?? null,
      replicas: storage.replicaReads()?.replicas ?? [],
    }),
  })
  return { storage, jobs, ...reports }
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    health: Health
  }
}

const time = z.number().describe('UNIX seconds.')

const disk = z.strictObject({
  name: z.enum(['database', 'files']).describe('What is stored on it.'),
  free_bytes: z.int(),
  size_bytes: z.int(),
})

const job = z.strictObject({
  name: z.string(),
  does: z.string().describe('What the job does, in English.'),
  failing_since: time
    .nullable()
    .describe('The time since which every attempt has failed; null if the last one succeeded.'),
  last_success_at: time.nullable().describe('Null if there was none since the start of the node that runs it.'),
  last_failure_at: time.nullable(),
  last_error: z.string().nullable().describe('The message of the last failure.'),
})

const replica = z.strictObject({
  name: z.string().describe('Its host and port.'),
  lag_seconds: z
    .number()
    .nullable()
    .describe('The seconds by which it is behind, at the node that sees the most; null if no node can use it.'),
  problems: z
    .array(z.strictObject({ host: z.string().nullable(), process_id: z.int().nullable(), reason: z.string() }))
    .describe('The nodes that cannot use it, and why. The primary answers their reads.'),
})

const server = z.strictObject({
  version: z.string(),
  commit: z.string().nullable(),
  feature_level: z.int(),
  database: z.strictObject({
    kind: z.enum(['sqlite', 'postgres']),
    is_ready: z.boolean(),
    size_bytes: z.int().nullable().describe('The size of the file; null with PostgreSQL.'),
  }),
  replicas: z.array(replica).describe('The replicas of the database.'),
  files: z.strictObject({ is_ready: z.boolean() }),
  disks: z.array(disk),
  has_relay: z.boolean().describe('Whether the server sends emails.'),
  emails_deferred: z.int().describe('Emails of all organizations that were tried and will be tried again.'),
  deliveries: z
    .array(
      z.strictObject({
        kind: z.enum(['email', 'webhook', 'browser_push', 'mobile_push', 'scheduled_message']),
        waiting: z.int().describe('Deliveries of all organizations that are due.'),
        oldest_waiting_since: time.nullable(),
      }),
    )
    .describe('What the server still has to deliver.'),
  backups: z.strictObject({
    is_scheduled: z.boolean(),
    last_backup_at: time.nullable(),
    last_verified_at: time.nullable(),
    damaged_at: time.nullable().describe('The time of the newest backup, if its last verification found damage.'),
  }),
  nodes: z.array(
    z.strictObject({
      host: z.string().nullable().describe('The machine. Null for nodes of earlier versions.'),
      process_id: z.int().nullable(),
      version: z.string(),
      commit: z.string().nullable(),
      started_at: time,
      reported_at: time,
      is_leader: z.boolean(),
      memory_bytes: z.int(),
      connected_clients: z.int(),
      is_connected_to_nats: z.boolean().nullable().describe('Null if nodes do not reach each other by NATS.'),
    }),
  ),
  jobs: z.array(job),
})

const getHealth = endpoint({
  route: 'GET /server/health',
  summary: 'Get the health of the server',
  description:
    'Requires an administrator. `server` is null unless they administer the root organization; where everyone can create ' +
    'organizations, unless they own it.',
  who: 'human',
  params: {},
  returns: {
    organization: z.strictObject({
      emails_waiting: z.int().describe('Emails that are due.'),
      emails_deferred: z.int().describe('Emails that were tried and will be tried again.'),
      failing_webhooks: z
        .array(z.strictObject({ bot_id: z.int(), failed_at: time }))
        .describe('Bots whose last call of their outgoing webhook failed within a week.'),
    }),
    server: server.nullable(),
  },
  refuses: [mustBeAdministrator],
  async handle({ db, actor, clock, settings, files, health }) {
    requireAdministrator(actor)
    const { realmId } = actor
    const now = clock.now()
    const [emails, ownDeferred, failing] = await Promise.all([
      findWaitingMails(db, now, realmId),
      findDeferred(db, realmId),
      findFailingWebhooks(db, realmId, now),
    ])
    const organization = {
      emails_waiting: emails.count,
      emails_deferred: ownDeferred,
      failing_webhooks: failing.map(({ botId, endedAt }) => ({ bot_id: botId, failed_at: endedAt })),
    }
    if (!maySeeServer(actor, settings)) return { organization, server: null }
    const { storage, jobs } = health
    const [isReady, disks, waiting, deferred, backups, nodes, hasFiles] = await Promise.all([
      storage.isReady(),
      findDisks(settings, files),
      findWaiting(db, now),
      findDeferred(db),
      findBackupState(db),
      health.nodes(),
      canReadFiles(files),
    ])
    // Jobs of the leader have done nothing on other nodes.
    const newestFirst = nodes.toSorted((one, other) => other.reportedAt - one.reportedAt)
    const histories = (newestFirst.find(({ isLeader }) => isLeader) ?? nodes[0])?.jobs ?? {}
    return {
      organization,
      server: {
        version: programVersion,
        commit: programCommit,
        feature_level: FEATURE_LEVEL,
        database: { kind: db.dialect, is_ready: isReady, size_bytes: disks.databaseBytes },
        replicas: toReplicasJson(nodes),
        files: { is_ready: hasFiles },
        disks: disks.disks.map(({ name, free, size }) => ({ name, free_bytes: free, size_bytes: size })),
        has_relay: settings.SMTP_URL !== '',
        emails_deferred: deferred,
        deliveries: waiting.map(({ kind, count, oldestAt }) => ({
          kind,
          waiting: count,
          oldest_waiting_since: oldestAt,
        })),
        backups: {
          is_scheduled: backups.isScheduled,
          last_backup_at: backups.lastBackupAt,
          last_verified_at: backups.lastVerifiedAt,
          damaged_at: backups.damagedAt,
        },
        nodes: nodes.map(toNodeJson),
        jobs: jobs.map(({ name, does, job }) => ({ name, does, ...toHistoryJson(histories[name] ?? job.history()) })),
      },
    }
  },
})

const toNodeJson = ({
  host,
  processId,
  version,
  commit,
  startedAt,
  reportedAt,
  isLeader,
  memoryBytes,
  clients,
  isConnectedToNats,
}: NodeReport) => ({
  host: host ?? null,
  process_id: processId ?? null,
  version,
  commit,
  started_at: startedAt,
  reported_at: reportedAt,
  is_leader: isLeader,
  memory_bytes: memoryBytes,
  connected_clients: clients,
  is_connected_to_nats: isConnectedToNats ?? null,
})

function toReplicasJson(nodes: readonly NodeReport[]) {
  const seen = nodes.flatMap(({ host = null, processId = null, replicas = [] }) =>
    replicas.map((state) => ({ host, process_id: processId, ...state })),
  )
  return [...Map.groupBy(seen, ({ name }) => name)].map(([name, states]) => {
    const lags = states.flatMap(({ lagSeconds }) => (lagSeconds === null ? [] : [lagSeconds]))
    return {
      name,
      lag_seconds: lags.length === 0 ? null : Math.max(...lags),
      problems: states.flatMap(({ host, process_id, problem: reason }) =>
        reason === null ? [] : [{ host, process_id, reason }],
      ),
    }
  })
}

const toHistoryJson = ({ failingSince, lastSuccessAt, lastFailureAt, lastError }: JobHistory) => ({
  failing_since: failingSince,
  last_success_at: lastSuccessAt,
  last_failure_at: lastFailureAt,
  last_error: lastError,
})

export const healthEndpoints = [getHealth] satisfies readonly Endpoint[]
