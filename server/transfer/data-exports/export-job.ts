import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDueJob } from '#lib/jobs/due-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import { prepareNotice } from '#messages/sending/prepare-notices.ts'
import { saveMessage } from '#messages/sending/send-message.ts'
import { findUser } from '#people/users/queries.ts'
import {
  type DataExport,
  findDataExport,
  findPendingExport,
  findStoredExports,
  saveDataExportFields,
} from '#realms/export-queries.ts'
import { findRealm, lockRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { FileStore } from '#storage/files/files.ts'
import { storeFile } from '#storage/files/store-file.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import type { ExportScope } from '../exporting/selection.ts'
import { archiveName, isPending, scopeOf } from './data-export.ts'
import { emitDataExports } from './events.ts'
import { DAYS_KEPT, expireExport, expireLostExports, expiryOf } from './expire-exports.ts'
import { watchExport } from './watch-export.ts'

/** Writes an export as an archive to a path that must not exist yet; `signal` aborts it. */
export type MakeExport = (
  path: string,
  selected: { realm: Realm; scope: ExportScope },
  signal: AbortSignal,
) => Promise<void>

type Options = {
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
export function openExportJob(options: Options): Job {
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

async function handleExport(options: Options, given: DataExport, signal: AbortSignal): Promise<void> {
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
const workFolderOf = ({ workFolder }: Options, { file, attempts }: DataExport) =>
  join(workFolder ?? tmpdir(), `parley-export-${file}-${attempts}`)

const deleteFolder = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5 })

/** Makes the archive and stores it; returns its size in bytes. */
async function makeArchive(options: Options, given: DataExport, signal: AbortSignal): Promise<number> {
  const { db, files, make } = options
  const realm = await findRealm(db, given.realmId)
  if (realm === null) throw new Error('The organization does not exist')
  const folder = workFolderOf(options, given)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const path = join(folder, 'export.tar.gz')
    await make(path, { realm, scope: scopeOf(given) }, signal)
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
  const url = `${realmAddress(realm.subdomain, tx.db.settings.EXTERNAL_URL).url}/organization/exports`
  const content =
    bytes === null
      ? `Your data export failed. You can [start it again](${url}).`
      : `Your data export is complete. [View and download exports](${url}). It will be deleted in ${DAYS_KEPT} days.`
  await saveMessage(tx, await prepareNotice(tx.db, { recipientIds: [actor.id], content }))
}
