import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '#lib/clock.ts'
import { type Job, openDueJob, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
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
} from '#realms/exports.ts'
import { findRealm, lockRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { type FileStore, storeFile } from '#storage/files.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
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

// The job that makes a backup every day and deletes old ones, and the job that makes the exports that administrators
// request. The time of the next backup follows from the newest one that exists, whatever happened to the process.

/** Seconds from one backup to the next, and from a failed attempt to the next. */
const INTERVAL = 86_400
const AFTER_FAILURE = 3600

/** Seconds from the start to the first check, so that the first requests are not delayed. */
const FIRST_LOOK = 5

type BackupOptions = {
  /** The folder that contains the backups. Each backup is a folder with its time as its name. */
  folder: string
  /** The number of backups to keep; the oldest is deleted when a new one is complete. */
  kept: number
  /** Makes a backup at the path. Nothing may exist there until the backup is complete. `signal` aborts the backup. */
  make: (path: string, signal: AbortSignal) => Promise<void>
  clock: Clock
  log: Log
  /** If several nodes share the database, the leader makes the backups. */
  storage: Pick<Storage, 'isLeader' | 'onBecomeLeader'>
}

/** Makes each backup a day after the newest existing one, regardless of restarts. */
export function openDailyBackups({ folder, kept, make, clock, log, storage }: BackupOptions): Job {
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
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const wait = (await findNewestTime(folder)) + INTERVAL - clock.now()
      // The wait is longer if the clock was set back.
      if (wait > 0 && wait <= INTERVAL) return clock.now() + wait
      await make(join(folder, nameAt(clock.now())), end.signal)
      for (const name of await findSuperfluous(folder, kept)) await rm(join(folder, name), { recursive: true })
      log.info({ folder }, 'Created a backup')
      return clock.now() + INTERVAL
    } catch (error) {
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

const NAME = /^parley-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(\.unfinished)?$/

const nameAt = (time: number) =>
  `parley-${new Date(time * 1000).toISOString().replace(/\..*/, 'Z').replaceAll(':', '-')}`

/** Returns the time of the newest complete backup in UNIX seconds; minus infinity if there is none. */
async function findNewestTime(folder: string): Promise<number> {
  const times = (await readdir(folder)).map((name) => {
    const [, day, hours, minutes, seconds, unfinished] = NAME.exec(name) ?? []
    return day === undefined || unfinished !== undefined
      ? -Infinity
      : Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) / 1000
  })
  return Math.max(-Infinity, ...times)
}

/**
 * Returns the names of the backups to delete: complete ones beyond the number to keep, and interrupted ones that are
 * older than the newest complete one. Names sort by time.
 */
async function findSuperfluous(folder: string, kept: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  const whole = names.filter((name) => !name.endsWith('.unfinished'))
  const newest = whole.at(-1) ?? ''
  const brokenOff = names.filter((name) => name.endsWith('.unfinished') && name < newest)
  return [...whole.slice(0, -kept), ...brokenOff]
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
