import { Gauge, type Registry } from 'prom-client'
import type { Settings } from '#config.ts'
import type { EventHub } from '#events/event-hub.ts'
import type { HttpServer } from '#http/server.ts'
import { inTime } from '#lib/clock.ts'
import type { Job } from '#lib/jobs.ts'
import { programCommit, programVersion } from '#lib/process.ts'
import { FEATURE_LEVEL } from '#lib/protocol.ts'
import { renderingWork } from '#markdown/render.ts'
import type { PresenceBoard } from '#presence/board.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db, Storage } from '#storage/storage.ts'
import { findBackupState } from '#transfer/backups.ts'
import { answers } from '../nodes/probes.ts'
import { findDisks } from './disks.ts'
import { addCounter } from './series.ts'
import { findDeferred, findWaiting } from './waiting.ts'

/** Milliseconds for which a scrape waits for the database. Prometheus gives up after ten seconds. */
const PATIENCE = 2000

/** The parts of a server whose state is read when the metrics are. */
export type WatchedParts = {
  settings: Settings
  clock: { now(): number }
  storage: Storage
  hub: EventHub
  presence: PresenceBoard
  files: FileStore
  jobs: Readonly<Record<string, Job | null>>
  http: Pick<HttpServer, 'load'>
  /** Returns the end of the server's own certificate, null if it has none yet; null if it does not speak https. */
  certificateEnd: (() => number | null) | null
  /** Returns the further databases of the installation; null if it has one database. */
  furtherStates: (() => readonly { name: string; awaySince: number | null }[]) | null
}

/** Adds the metrics that describe a state. Returns a function that reads the state. */
export function addState(registry: Registry, parts: WatchedParts): () => Promise<void> {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  addBuildInfo(registry)
  addJobCounters(registry, parts.jobs)
  addRenderingCounters(registry)
  addReplicaCounters(registry, parts.storage)
  addNatsCounter(registry, parts.storage)
  const readers = [
    readRequests(gauge, parts),
    readStorage(gauge, parts),
    readReplicas(gauge, parts),
    readNats(gauge, parts),
    readFurtherDatabases(gauge, parts),
    readJobs(gauge, parts),
    readDatabase(gauge, parts),
    readDisks(gauge, parts),
    readCertificate(gauge, parts),
  ]
  return async () => {
    await Promise.all(readers.map((read) => read()))
  }
}

type MakeGauge = <Label extends string = never>(
  name: string,
  help: string,
  labelNames?: readonly Label[],
) => Gauge<Label>

function addBuildInfo(registry: Registry): void {
  const labelNames = ['version', 'commit', 'feature_level', 'node_version'] as const
  new Gauge({
    ...{ name: 'parley_build_info', help: 'The program that is running; the value is always 1.', labelNames },
    registers: [registry],
  }).set(
    {
      version: programVersion,
      commit: programCommit ?? '',
      feature_level: FEATURE_LEVEL,
      node_version: process.version,
    },
    1,
  )
}

function addJobCounters(registry: Registry, jobs: WatchedParts['jobs']): void {
  const each = (read: (job: Job) => number) => () =>
    Object.entries(jobs).flatMap(([name, job]) => (job === null ? [] : [{ labels: { name }, value: read(job) }]))
  const runs = 'Runs of a background job on this node. Idle runs, which find nothing to do, count.'
  addCounter(registry, { name: 'parley_job_runs_total', help: runs, read: each((job) => job.history().runs) })
  const failures = 'Failures of a background job on this node.'
  addCounter(registry, {
    name: 'parley_job_failures_total',
    help: failures,
    read: each((job) => job.history().failures),
  })
  const seconds = 'Seconds that the runs of a background job took on this node.'
  addCounter(registry, {
    name: 'parley_job_run_seconds_total',
    help: seconds,
    read: each((job) => job.history().seconds),
  })
}

function addRenderingCounters(registry: Registry): void {
  const one = (read: (work: ReturnType<typeof renderingWork>) => number) => () => [
    { labels: {}, value: read(renderingWork()) },
  ]
  const rendered = 'Messages that the rendering thread rendered; short ones need no thread.'
  addCounter(registry, { name: 'parley_renderings_total', help: rendered, read: one((work) => work.rendered) })
  const failed = 'Messages that the rendering thread could not render.'
  addCounter(registry, { name: 'parley_rendering_failures_total', help: failed, read: one((work) => work.failed) })
  const seconds = 'CPU seconds of the rendering thread.'
  addCounter(registry, { name: 'parley_rendering_cpu_seconds_total', help: seconds, read: one((work) => work.seconds) })
}

function addReplicaCounters(registry: Registry, storage: Storage): void {
  if (storage.replicaReads() === null) return
  addCounter(registry, {
    name: 'parley_replica_reads_total',
    help: 'Statements of large reads, by the place that ran them: a replica or the primary.',
    read: () =>
      Object.entries(storage.replicaReads()?.counts ?? {}).map(([place, value]) => ({ labels: { place }, value })),
  })
}

function addNatsCounter(registry: Registry, storage: Storage): void {
  if (storage.bus() === null) return
  addCounter(registry, {
    name: 'parley_nats_messages_total',
    help: 'Messages that this node has received over NATS, and sent.',
    read: () =>
      Object.entries(storage.bus()?.counts ?? {}).map(([direction, value]) => ({ labels: { direction }, value })),
  })
}

function readNats(gauge: MakeGauge, { storage }: WatchedParts): () => void {
  if (storage.bus() === null) return () => {}
  const connected = gauge('parley_nats_connected', '1 if this node is connected to NATS.')
  return () => connected.set(Number(storage.bus()?.isConnected))
}

function readReplicas(gauge: MakeGauge, { storage }: WatchedParts): () => void {
  if (storage.replicaReads() === null) return () => {}
  const up = gauge('parley_replica_up', '1 if large reads can run on the replica of the database.', ['replica'])
  const lag = gauge('parley_replica_lag_seconds', 'Seconds by which the replica is behind the primary.', ['replica'])
  return () => {
    lag.reset()
    for (const { name: replica, problem, lagSeconds } of storage.replicaReads()?.replicas ?? []) {
      up.set({ replica }, Number(problem === null))
      if (lagSeconds !== null) lag.set({ replica }, lagSeconds)
    }
  }
}

function readFurtherDatabases(gauge: MakeGauge, { furtherStates }: WatchedParts): () => void {
  if (furtherStates === null) return () => {}
  const up = gauge('parley_further_database_up', '1 if the organizations in the database can be reached.', ['database'])
  return () => {
    for (const { name: database, awaySince } of furtherStates()) up.set({ database }, Number(awaySince === null))
  }
}

function readRequests(gauge: MakeGauge, { http, hub, presence }: WatchedParts): () => void {
  const inProgress = gauge(
    'parley_http_requests_in_progress',
    'Requests that are being handled; waiting polls do not count.',
  )
  const waiting = gauge('parley_http_requests_waiting', 'Requests that wait to be handled, by class.', ['class'])
  const connections = gauge('parley_http_connections', 'Open connections of clients.')
  const polls = gauge(
    'parley_event_polls_waiting',
    'Polls that wait for an event: about the number of connected clients.',
  )
  const queues = gauge('parley_event_queues', 'Event queues in memory.')
  const presences = gauge('parley_presence_entries', 'Users on the presence boards in memory, whether or not online.')
  const rendering = gauge('parley_renderings_waiting', 'Messages that wait for the rendering thread.')
  return () => {
    const load = http.load()
    inProgress.set(load.inProgress)
    for (const [name, count] of Object.entries(load.waiting)) waiting.set({ class: name }, count)
    connections.set(load.connections)
    const counts = hub.counts()
    polls.set(counts.waitingPolls)
    queues.set(counts.queues)
    presences.set(presence.count())
    rendering.set(renderingWork().waiting)
  }
}

function readStorage(gauge: MakeGauge, { storage }: WatchedParts): () => Promise<void> {
  const ready = gauge('parley_database_ready', '1 if the database can be read and written.')
  const writable = gauge('parley_database_writable', '1 unless this node has lost its lock on the database.')
  const leader = gauge('parley_leader', '1 if this node runs the jobs of the leader.')
  const complete = gauge('parley_node_messages_complete', '1 unless messages of other nodes may be missing.')
  const readConnections = storage.connections() === null ? () => {} : readPostgres(gauge, storage)
  return async () => {
    // Before this scrape uses connections itself.
    readConnections()
    ready.set(Number(await answers(() => storage.isReady(), PATIENCE)))
    writable.set(Number(storage.isWritable()))
    leader.set(Number(storage.isLeader()))
    complete.set(Number(storage.db.commitCounters.isComplete))
  }
}

function readPostgres(gauge: MakeGauge, storage: Storage): () => void {
  const connections = gauge('parley_postgres_connections', 'Connections to PostgreSQL, by state.', ['state'])
  const max = gauge('parley_postgres_connections_max', 'Maximum number of connections to PostgreSQL.')
  const waiting = gauge(
    'parley_postgres_connections_waiting',
    'Statements and transactions that wait for a connection.',
  )
  return () => {
    const counts = storage.connections()
    if (counts === null) return
    connections.set({ state: 'idle' }, counts.idle)
    connections.set({ state: 'used' }, counts.open - counts.idle)
    max.set(counts.max)
    waiting.set(counts.waiting)
  }
}

function readJobs(gauge: MakeGauge, { jobs }: WatchedParts): () => void {
  const failing = gauge('parley_job_failing', '1 if the last attempts of a background job on this node failed.', [
    'name',
  ])
  const lastSuccess = gauge(
    'parley_job_last_success_timestamp_seconds',
    'Time of the last run of a background job on this node that did not fail.',
    ['name'],
  )
  return () => {
    for (const [name, { history }] of Object.entries(jobs).filter(isOpen)) {
      const { failingSince, lastSuccessAt } = history()
      failing.set({ name }, Number(failingSince !== null))
      if (lastSuccessAt !== null) lastSuccess.set({ name }, lastSuccessAt)
    }
  }
}

const isOpen = (entry: [string, Job | null]): entry is [string, Job] => entry[1] !== null

function readDatabase(gauge: MakeGauge, { storage, clock }: WatchedParts): () => Promise<void> {
  const waiting = gauge('parley_deliveries_waiting', 'Deliveries that are due and not made yet, by kind.', ['kind'])
  const oldest = gauge('parley_delivery_oldest_waiting_seconds', 'Age of the oldest delivery that is due, by kind.', [
    'kind',
  ])
  const deferredMails = gauge('parley_emails_deferred', 'Emails that were tried and will be tried again.')
  const backup = gauge('parley_backup_last_success_timestamp_seconds', 'Time of the newest complete backup.')
  const verified = gauge('parley_backup_last_verified_timestamp_seconds', 'Time of the newest verified backup.')
  const damaged = gauge('parley_backup_damaged', '1 if the newest backup was verified and is damaged.')
  const scheduled = gauge('parley_backup_scheduled', '1 if the server makes backups by itself.')
  return async () => {
    const now = clock.now()
    const found = await inTime(() => readAll(storage.db, now), PATIENCE)
    // While the database is away, these metrics are missing rather than old.
    for (const metric of [waiting, oldest]) metric.reset()
    for (const metric of [deferredMails, backup, verified, damaged, scheduled]) metric.remove()
    if (found === null) return
    for (const { kind, count, oldestAt } of found.waiting) {
      waiting.set({ kind }, count)
      oldest.set({ kind }, oldestAt === null ? 0 : Math.max(0, now - oldestAt))
    }
    deferredMails.set(found.deferred)
    damaged.set(Number(found.backups.damagedAt !== null))
    scheduled.set(Number(found.backups.isScheduled))
    if (found.backups.lastBackupAt !== null) backup.set(found.backups.lastBackupAt)
    if (found.backups.lastVerifiedAt !== null) verified.set(found.backups.lastVerifiedAt)
  }
}

async function readAll(db: Db, now: number) {
  const [waiting, deferred, backups] = await Promise.all([findWaiting(db, now), findDeferred(db), findBackupState(db)])
  return { waiting, deferred, backups }
}

function readCertificate(gauge: MakeGauge, { certificateEnd }: WatchedParts): () => void {
  if (certificateEnd === null) return () => {}
  const help = 'End of the certificate for EXTERNAL_URL, if the server speaks https itself.'
  const expiry = gauge('parley_certificate_expiry_timestamp_seconds', help)
  const present = gauge(
    'parley_certificate_present',
    '1 if there is a certificate for EXTERNAL_URL, 0 if none was issued.',
  )
  return () => {
    const end = certificateEnd()
    present.set(Number(end !== null))
    if (end === null) expiry.remove()
    else expiry.set(end)
  }
}

function readDisks(gauge: MakeGauge, { settings, files }: WatchedParts): () => Promise<void> {
  const free = gauge('parley_disk_free_bytes', 'Free space of a disk, by what is stored on it.', ['disk'])
  const size = gauge('parley_disk_size_bytes', 'Size of a disk, by what is stored on it.', ['disk'])
  const database = gauge('parley_sqlite_bytes', 'Size of the files of SQLite.', ['file'])
  return async () => {
    const { disks, databaseBytes, logBytes } = await findDisks(settings, files)
    for (const { name, ...disk } of disks) {
      free.set({ disk: name }, disk.free)
      size.set({ disk: name }, disk.size)
    }
    if (databaseBytes !== null) database.set({ file: 'database' }, databaseBytes)
    if (logBytes !== null) database.set({ file: 'write_ahead_log' }, logBytes)
  }
}
