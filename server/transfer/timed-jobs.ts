import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { AlreadyRunning } from '#lib/errors.ts'
import { type Job, openDueJob, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessage } from '#messages/send-message.ts'
import { findUser } from '#people/user-queries.ts'
import {
  type DataExport,
  findDataExport,
  findPendingExport,
  findStoredExports,
  OWN_DATA,
  saveDataExportFields,
} from '#realms/export-records.ts'
import { findRealm, lockRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { type FileStore, storeFile } from '#storage/files.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import { findNextTime } from './backup/schedule.ts'
import { findCheck, findSnapshots, isDamaged, openPlace } from './backup-places.ts'
import {
  archiveName,
  DAYS_KEPT,
  type ExportScope,
  emitDataExports,
  expiryOf,
  isPending,
  isStored,
  scopeOf,
} from './data-exports.ts'
import { watchExport } from './free-space.ts'

// The job that makes the backups of BACKUP_DIR, and the job that makes the exports that administrators request. The time of the next backup follows from the newest one that exists, whatever happened to the process.

/** Seconds from a failed attempt to the next. */
const AFTER_FAILURE = 3600

/** Seconds from an attempt that another backup refused to the next. */
const WHILE_ANOTHER_RUNS = 300

/** Seconds from the start to the first check, so that the first requests are not delayed. */
const FIRST_LOOK = 5

type BackupOptions = {
  settings: Settings
  /** Makes and verifies a backup in BACKUP_DIR, and deletes old ones. `signal` aborts it. */
  make: (signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Log
  /** If several nodes share the database, the leader makes the backups. */
  storage: Pick<Storage, 'isLeader' | 'onBecomeLeader'>
}

/** Makes each backup when it is due after the newest existing one, regardless of restarts. */
export function openScheduledBackups({ settings, make, clock, log, storage }: BackupOptions): Job {
  const { BACKUP_DIR, BACKUP_TIME: time, BACKUP_EVERY_HOURS: everyHours } = settings
  const folder = isS3Url(BACKUP_DIR) ? withoutKeys(BACKUP_DIR) : BACKUP_DIR
  const [hours, minutes] = time.split(':').map(Number)
  const schedule = { everyHours, time: hours === undefined || minutes === undefined ? null : { hours, minutes } }
  const end = new AbortController()
  const {
    run: round,
    stop,
    noteFailure,
    history,
  } = openPeriodicTask({
    clock,
    work: backUpWhenDue,
    isResponsible: storage.isLeader,
    onFailure: logFailure,
  })

  async function backUpWhenDue(): Promise<number> {
    try {
      const next = findNextTime(schedule, await findNewestTime(settings), clock.now())
      if (next > clock.now()) return next
      const startedAt = clock.now()
      await make(end.signal)
      log.info({ folder }, 'Created a backup')
      return findNextTime(schedule, startedAt, clock.now())
    } catch (error) {
      if (error instanceof AlreadyRunning) {
        log.info(
          { folder, reason: error.message },
          'The backup waits for another one; the next attempt is in five minutes',
        )
        return clock.now() + WHILE_ANOTHER_RUNS
      }
      if (!end.signal.aborted) noteFailure(error)
      return clock.now() + AFTER_FAILURE
    }
  }

  function logFailure(error: unknown): void {
    log.error({ err: error, folder }, 'The backup failed; the next attempt is in an hour')
  }

  storage.onBecomeLeader(() => void round())
  const cancelFirst = clock.schedule(clock.now() + FIRST_LOOK, round)
  return {
    wake: () => void round(),
    settled: round,
    history,
    async close() {
      cancelFirst()
      end.abort()
      await stop()
    },
  }
}

/** Returns the time of the newest complete backup that is not known to be damaged, in UNIX seconds; null if there is none. */
async function findNewestTime(settings: Settings): Promise<number | null> {
  const snapshots = await findSnapshots(await openPlace(settings.BACKUP_DIR, settings))
  for (const snapshot of snapshots.reverse())
    if (snapshot.isComplete && !isDamaged(await findCheck(snapshot))) return snapshot.createdAt
  return null
}

// Requested exports are made one at a time, and archives are deleted when they expire. An interrupted export
// is made again; after several interruptions it counts as failed.

/** The data to export: a part of an organization, or the own data of a user. */
type ExportedPart = { realm: Realm } & ({ scope: ExportScope } | { userId: number })

/** Writes an export as an archive to a path that must not exist yet; `signal` aborts it. */
export type MakeExport = (path: string, part: ExportedPart, signal: AbortSignal) => Promise<void>

type Parts = { db: Db; transaction: RunTransaction; files: FileStore }

/** Marks the export as deleted, and deletes its archive. */
async function expireExport({ transaction, files }: Omit<Parts, 'db'>, given: DataExport): Promise<void> {
  await transaction((tx) => saveDeletion(tx, given))
  await files.delete(archiveName(given))
}

/** Marks exports as deleted if their archives are missing. Backups do not contain archives. */
async function expireLostExports(parts: Parts): Promise<void> {
  for (const stored of await findStoredExports(parts.db))
    if ((await parts.files.findSize(archiveName(stored))) === null) await expireExport(parts, stored)
}

async function saveDeletion(tx: Transaction, given: DataExport): Promise<void> {
  const realm = await lockRealm(tx, given.realmId)
  const current = await findDataExport(tx.db, realm.id, given.id)
  if (current === null || !isStored(current)) return
  await saveDataExportFields(tx, given.id, { deletedAt: tx.now })
  await emitDataExports(tx, realm)
}

type ExportJobOptions = {
  db: Db
  transaction: RunTransaction
  files: FileStore
  /** The folder for unfinished exports; null for the temporary folder of the system. */
  workFolder: string | null
  make: MakeExport
  isResponsible: () => boolean
  clock: Clock
  log: Log
}

/** After this many interrupted attempts, an export counts as failed. */
const MAX_ATTEMPTS = 3

/**
 * Makes the exports that administrators request, one at a time, and deletes their archives when they expire. If a stop
 * or crash of the server interrupts an export, it begins again. An export that fails or exceeds a limit does not.
 */
export function openExportJob(options: ExportJobOptions): Job {
  const { db, clock, log, isResponsible } = options
  const end = new AbortController()
  let hasCheckedArchives = false
  const job = openDueJob({
    clock,
    log,
    isResponsible,
    async findNext() {
      if (!hasCheckedArchives) await expireLostExports(options)
      hasCheckedArchives = true
      return findNextExport(db)
    },
    handle: (next) => (isPending(next) ? handleExport(options, next, end.signal) : expireExport(options, next)),
    failureMessage: 'Failed to handle an export',
  })
  return {
    ...job,
    close() {
      end.abort()
      return job.close()
    },
  }
}

/** Returns the export to make next. If there is none, returns the export whose archive expires next. */
async function findNextExport(db: Db): Promise<(DataExport & { dueAt: number }) | null> {
  const pending = await findPendingExport(db)
  if (pending !== null) return { ...pending, dueAt: pending.requestedAt }
  const [stored] = await findStoredExports(db, 1)
  return stored === undefined ? null : { ...stored, dueAt: expiryOf(stored.finishedAt ?? 0) }
}

async function handleExport(options: ExportJobOptions, given: DataExport, signal: AbortSignal): Promise<void> {
  const { transaction, log, isResponsible } = options
  if (signal.aborted) return
  for (let earlier = 1; earlier <= given.attempts; earlier++)
    await deleteFolder(workFolderOf(options, { ...given, attempts: earlier }))
  const attempts = given.attempts + 1
  if (attempts > MAX_ATTEMPTS) return transaction((tx) => finish(tx, given, null))
  await transaction((tx) => saveDataExportFields(tx, given.id, { attempts }))
  using watch = watchExport(options)
  try {
    const bytes = await makeArchive(options, { ...given, attempts }, AbortSignal.any([signal, watch.signal]))
    await transaction((tx) => finish(tx, given, bytes))
  } catch (error) {
    // Another node may have taken over. A stopped export begins again later.
    if (signal.aborted || !isResponsible()) return
    const err = watch.signal.aborted ? watch.signal.reason : error
    log.error({ err, realm_id: given.realmId }, 'An export failed')
    await transaction((tx) => finish(tx, given, null))
  }
}

/** Each attempt has its own folder: the previous attempt may still be running after a crash, or on another node. */
const workFolderOf = ({ workFolder }: ExportJobOptions, { file, attempts }: DataExport) =>
  join(workFolder ?? tmpdir(), `parley-export-${file}-${attempts}`)

const deleteFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 })

/** Makes the archive and stores it; returns its size in bytes. */
async function makeArchive(options: ExportJobOptions, given: DataExport, signal: AbortSignal): Promise<number> {
  const { db, files, make } = options
  const realm = await findRealm(db, given.realmId)
  if (realm === null) throw new Error('The organization does not exist')
  const folder = workFolderOf(options, given)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const path = join(folder, 'export.tar.gz')
    const part = given.type === OWN_DATA ? { userId: given.actorId } : { scope: scopeOf(given) }
    await make(path, { realm, ...part }, signal)
    return await storeFile(files, path, archiveName(given), signal)
  } finally {
    await deleteFolder(folder)
  }
}

/**
 * Saves the outcome unless another node has saved one, and notifies the user who requested the export. `bytes` is null
 * if it failed.
 */
async function finish(tx: Transaction, given: DataExport, bytes: number | null): Promise<void> {
  const realm = await lockRealm(tx, given.realmId)
  const current = await findDataExport(tx.db, realm.id, given.id)
  if (current === null || !isPending(current)) return
  await saveDataExportFields(tx, given.id, bytes === null ? { failedAt: tx.now } : { finishedAt: tx.now, bytes })
  await emitDataExports(tx, realm)
  const actor = await findUser(tx.db, given.actorId)
  if (actor === null || actor.deactivatedAt !== null) return
  const page = given.type === OWN_DATA ? 'settings/account' : 'organization/exports'
  const url = `${realmAddress(realm.subdomain, tx.db.settings.EXTERNAL_URL).url}/${page}`
  const content =
    bytes === null
      ? `Your data export failed. You can [start it again](${url}).`
      : `Your data export is complete. [View and download exports](${url}). It will be deleted in ${DAYS_KEPT} days.`
  await sendMessage(tx, await prepareNotice(tx.db, { recipientIds: [actor.id], content }))
}
