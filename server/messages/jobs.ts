import { lookup } from 'node:dns'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { type FetchMedia, type FetchPage, fetchMedia, fetchPage, limitLookups } from '#lib/guarded-fetch.ts'
import { type Job, openDeliveryJob, openDueJob, openPeriodicTask, type PeriodicTaskOptions } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { backedUpFolders, DATA_EXPORTS, type FileStore, THUMBNAILS, UPLOADS } from '#storage/files.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import {
  type Attachment,
  deleteAttachments,
  findAllAttachments,
  findUnclaimedAttachments,
  hasAttachments,
  lockAttachments,
  saveUnclaimedAt,
  UNCLAIMED_LIFETIME,
} from './attachments.ts'
import { isOutdated } from './content.ts'
import { type ExternalContent, openExternalContent } from './external-content.ts'
import { deleteStoredFile, storedName } from './files.ts'
import { addLinkPreviews, openLinkPreviews } from './jobs/add-link-previews.ts'
import { deleteExpiredMessages, findContainersWithExpired } from './jobs/delete-expired-messages.ts'
import { findFirstRequests } from './jobs/link-preview-queries.ts'
import { type Rerendering, rerenderMessage, saveRerendering } from './jobs/rerender-message.ts'
import type { Message } from './message.ts'
import { findNextToSend } from './scheduled-messages.ts'
import { deleteExpiredLocalIds } from './send-once.ts'
import { type SendingContext, sendScheduledMessage } from './sending/send-scheduled-message.ts'
import { emitAttachmentsRemoved } from './uploads/claims.ts'
import { findUnknownFiles } from './uploads/unknown-files.ts'

// The background jobs of messages: retention, previews and pictures of other sites, rendering again, sending scheduled
// messages, and deleting unused files. Each works in small batches, so that transactions of users never wait for long.

/**
 * Seconds until the first run, and seconds between two runs. The first run waits so that a wrong system clock can be
 * corrected.
 */
const RETENTION_DELAY = 600
const RETENTION_INTERVAL = 3600

type RetentionParts = {
  storage: Pick<Storage, 'db' | 'transaction' | 'isLeader' | 'onBecomeLeader'>
  clock: Clock
  log: Log
  /** Each deletes some old rows of another module, and returns true if there may be more. */
  deleteOthers: readonly ((tx: Transaction) => Promise<boolean>)[]
}

/**
 * Deletes old data: messages that have exceeded the retention setting of their channel or organization, expired local
 * ids, and what other modules keep for a limited time.
 */
export function openRetentionJob({ storage, clock, log, deleteOthers }: RetentionParts): Job {
  const { db, transaction, isLeader } = storage
  let dueAt = clock.now() + RETENTION_DELAY
  const { run, stop, isStopped, history } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: isLeader,
    onFailure: (error) =>
      log.error({ err: error }, 'Failed to delete old messages, local ids, emails or webhook deliveries'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RETENTION_INTERVAL) return dueAt
    const mayContinue = () => !isStopped() && isLeader()
    let count = 0
    for await (const container of findContainersWithExpired(db, clock.now())) {
      if (!mayContinue()) break
      for (let isMore = true; isMore && mayContinue(); await yieldToOthers()) {
        const batch = await transaction((tx) => deleteExpiredMessages(tx, container))
        count += batch.count
        isMore = batch.isMore
      }
    }
    for (const deleteBatch of [deleteExpiredLocalIds, ...deleteOthers])
      while (mayContinue() && (await transaction(deleteBatch))) await yieldToOthers()
    if (count > 0) log.info({ messages: count }, 'Deleted expired messages')
    dueAt = clock.now() + RETENTION_INTERVAL
    return dueAt
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, history }
}

type LinkPreviewParts = {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** Used in tests instead of requests to websites. */
  fetchPage: FetchPage | undefined
  isResponsible: () => boolean
}

/** The time limits for one page and for one picture or video, in seconds. */
const PAGE_TIME_LIMIT = 5
const MEDIA_TIME_LIMIT = 10

/**
 * The limits of concurrent name lookups, which attackers can make hang. Lookups may hold at most two of the four
 * threads that also read files and hash passwords.
 */
const LOOKUPS = { pending: 2, waiting: 20 }

const resolve = limitLookups(lookup, LOOKUPS)

/**
 * Returns a function that fetches pages for previews, under the limits of all requests to other sites. `mayVisit` replaces
 * the rule about addresses, also for redirects.
 */
export const fetchPageWith =
  (settings: Settings, mayVisit?: (url: URL) => boolean): FetchPage =>
  (url, signal, format = 'html') =>
    fetchPage(
      url,
      { timeLimit: PAGE_TIME_LIMIT, privateHosts: settings.EXTERNAL_CONTENT_PRIVATE_HOSTS, signal, resolve },
      { format, mayVisit },
    )

/** Returns a function that fetches pictures and videos of other sites, under the same limits. */
export const fetchMediaWith =
  (settings: Settings, mayVisit?: (url: URL) => boolean): FetchMedia =>
  (url, signal) =>
    fetchMedia(
      url,
      { timeLimit: MEDIA_TIME_LIMIT, privateHosts: settings.EXTERNAL_CONTENT_PRIVATE_HOSTS, signal, resolve },
      mayVisit,
    )

/** Adds previews to messages that link to websites. It handles the messages of each sender one at a time, in order. */
export function openLinkPreviewJob(parts: LinkPreviewParts): Job {
  const findPreview = openLinkPreviews({
    clock: parts.clock,
    fetchPage: parts.fetchPage ?? fetchPageWith(parts.db.settings),
  })
  return openDeliveryJob({
    ...parts,
    findDue: async () => ({ due: await findFirstRequests(parts.db), nextAt: null }),
    receiverIdOf: ({ senderId }) => senderId,
    deliver: (request, signal) => addLinkPreviews({ ...parts, findPreview }, request, signal),
    failureMessage: 'Could not add previews of websites to messages',
  })
}

type ExternalContentParts = Omit<Parameters<typeof openExternalContent>[0], 'fetchMedia'> & {
  /** Used in tests instead of requests to other sites. */
  fetchMedia: FetchMedia | undefined
}

/** Passes on pictures and videos of other sites, and limits their cache. */
export const openExternalContentJob = (parts: ExternalContentParts): ExternalContent =>
  openExternalContent({ ...parts, fetchMedia: parts.fetchMedia ?? fetchMediaWith(parts.settings) })

/** The maximum number of queued messages. Other messages are queued when they are read the next time. */
const MAX_QUEUED = 10_000

/** The maximum number of messages that are saved in one transaction. */
const BATCH_SIZE = 20

/**
 * Renders outdated messages again after they have been read, one at a time. A message is outdated if an older renderer
 * produced its HTML.
 */
export type RerenderJob = Job & {
  /** Queues those of the messages that are outdated. Does not delay the caller, who is reading them. */
  rerenderOutdated(messages: readonly Pick<Message, 'id' | 'renderedVersion'>[]): void
}

type Parts = { db: Db; transaction: RunTransaction; clock: Clock; log: Log }

export function openRerenderJob({ db, transaction, clock, log }: Parts): RerenderJob {
  const queued = new Set<number>()
  /** Messages that could not be rendered. They keep their HTML, and are not rendered again each time they are read. */
  const failedIds = new Set<number>()
  const {
    run: round,
    stop,
    isStopped,
    history,
  } = openPeriodicTask({
    clock,
    work: rerenderAll,
    onFailure: (error) => log.error({ err: error }, 'Failed to render outdated messages again'),
  })

  async function rerenderAll(): Promise<null> {
    while (queued.size > 0 && !isStopped()) {
      const rerenderings = await rerenderBatch(queued.values().take(BATCH_SIZE).toArray())
      await transaction(async (tx) => {
        for (const rerendering of rerenderings) await saveRerendering(tx, rerendering)
      })
    }
    return null
  }

  async function rerenderBatch(ids: readonly number[]): Promise<Rerendering[]> {
    const rerenderings: Rerendering[] = []
    for (const id of ids) {
      await yieldToOthers()
      queued.delete(id)
      const rerendering = await rerenderMessage(db, id)
      if (rerendering === null) addFailure(id)
      else rerenderings.push(rerendering)
    }
    return rerenderings
  }

  function addFailure(id: number): void {
    if (failedIds.size >= MAX_QUEUED) failedIds.clear()
    failedIds.add(id)
  }

  return {
    rerenderOutdated(messages) {
      for (const message of messages) {
        if (!isOutdated(message) || failedIds.has(message.id) || queued.size >= MAX_QUEUED) continue
        queued.add(message.id)
      }
      if (queued.size > 0) void round()
    },
    wake: () => void round(),
    settled: round,
    close: stop,
    history,
  }
}

/** Sends scheduled messages one by one, in the order in which they are due. */
export const openScheduledMessageJob = (context: SendingContext & Pick<PeriodicTaskOptions, 'isResponsible'>): Job =>
  openDueJob({
    ...context,
    findNext: () => findNextToSend(context.db),
    handle: (message) => sendScheduledMessage(context, message),
    failureMessage: 'Failed to read or write scheduled messages',
  })

/** Seconds until the first run, and seconds between two runs. */
const UPLOAD_CLEANUP_DELAY = 600
const UPLOAD_CLEANUP_INTERVAL = 86_400

type UploadCleanupParts = {
  storage: Storage
  files: FileStore
  /**
   * Resolves to true if unknown files can only be leftovers of this database. It resolves to false if they may be files
   * of another one.
   */
  ownsFiles: () => Promise<boolean>
  clock: Clock
  log: Log
}

/**
 * Deletes files that no message has linked to for five weeks. It also deletes uploads, avatars, emoji and exports that
 * have no row, which crashes leave behind. It deletes them only if the previous run found them too, because a file that
 * is being uploaded has no row yet.
 */
export function openUploadCleanupJob({ storage, files, ownsFiles, clock, log }: UploadCleanupParts): Job {
  const { db, transaction } = storage
  let suspects: ReadonlySet<string> = new Set()
  let dueAt = clock.now() + UPLOAD_CLEANUP_DELAY
  const { run, stop, isStopped, history } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to clean up uploaded files'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= UPLOAD_CLEANUP_INTERVAL) return dueAt
    await cleanUp()
    dueAt = clock.now() + UPLOAD_CLEANUP_INTERVAL
    return dueAt
  }

  async function cleanUp(): Promise<void> {
    await transaction((tx) => saveUnclaimedAt(tx))
    for (;;) {
      const deleted = await transaction(deleteUnclaimed)
      for (const attachment of deleted) await deleteStoredFile(files, attachment)
      if (deleted.length === 0 || isStopped()) break
    }
    if (await ownsFiles()) suspects = await deleteOrphans()
    else log.warn({}, 'The folder of the files contains those of another database. Unknown files are not deleted.')
  }

  async function deleteOrphans(): Promise<Set<string>> {
    const orphans = new Set<string>()
    for (const folder of [...backedUpFolders, DATA_EXPORTS, THUMBNAILS]) {
      for await (const { unknown } of findUnknownFiles(db, files, folder)) {
        if (isStopped()) break
        for (const name of unknown) orphans.add(name)
      }
    }
    for (const name of orphans) {
      if (!suspects.has(name)) continue
      await files.delete(name)
      orphans.delete(name)
    }
    return orphans
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, history }
}

async function deleteUnclaimed(tx: Transaction): Promise<Attachment[]> {
  const before = tx.now - UNCLAIMED_LIFETIME
  const ids = (await findUnclaimedAttachments(tx.db, before)).map(({ id }) => id)
  await lockAttachments(tx, ids)
  // A file may have been claimed before it was locked.
  const unclaimed = await findUnclaimedAttachments(tx.db, before)
  if (unclaimed.length === 0) return []
  await deleteAttachments(
    tx,
    unclaimed.map(({ id }) => id),
  )
  for (const files of Map.groupBy(unclaimed, ({ realmId }) => realmId).values()) await emitAttachmentsRemoved(tx, files)
  return unclaimed
}

/** Yields the names of the files that the store has and the database does not know. */
export async function* findFilesWithoutRow(db: Db, files: FileStore): AsyncGenerator<string> {
  for (const folder of [...backedUpFolders, DATA_EXPORTS])
    for await (const { unknown } of findUnknownFiles(db, files, folder)) yield* unknown
}

/** Yields the uploads that the database has and the store does not. */
export async function* findUploadsWithoutFile(db: Db, files: FileStore): AsyncGenerator<Attachment> {
  for await (const attachments of findAllAttachments(db))
    for (const attachment of attachments) if ((await files.findSize(storedName(attachment))) === null) yield attachment
}

/** Returns true if the database has uploaded files, and the store has none. */
export async function lacksFiles(db: Db, files: FileStore): Promise<boolean> {
  if (!(await hasAttachments(db))) return false
  for await (const _ of files.list(UPLOADS)) return false
  return true
}

/** Returns true if a folder contains files and the database knows none of them. */
export async function hasForeignFiles(db: Db, files: FileStore): Promise<boolean> {
  for (const folder of backedUpFolders) {
    let [isEmpty, isKnown] = [true, false]
    for await (const { names, unknown } of findUnknownFiles(db, files, folder)) {
      isEmpty = false
      isKnown = unknown.length < names.length
      if (isKnown) break
    }
    if (!isEmpty && !isKnown) return true
  }
  return false
}
