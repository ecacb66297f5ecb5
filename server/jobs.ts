import { openSecondFactorMailJob } from '#accounts/second-factor-changes.ts'
import { openHiddenPresenceJob, openStatusJob } from '#accounts/timed-jobs.ts'
import type { Services } from '#http/endpoint.ts'
import { deleteOldDeliveries } from '#integrations/queries.ts'
import type { Clock } from '#lib/clock.ts'
import type { FetchMedia, FetchPage } from '#lib/guarded-fetch.ts'
import type { Job } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { type MailTransport, openMailJob, storeOnlyTransport } from '#mail/delivery.ts'
import { deleteCanceledMails } from '#mail/queries.ts'
import {
  hasForeignFiles,
  openExternalContentJob,
  openLinkPreviewJob,
  openRerenderJob,
  openRetentionJob,
  openScheduledMessageJob,
  openUploadCleanupJob,
} from '#messages/jobs.ts'
import { openSearchIndexJob } from '#messages/search-index.ts'
import { deleteOldOutgoingDeliveries } from '#messages/webhook-calls.ts'
import type { DescribedJob } from '#monitoring/health.ts'
import { openDigestJob } from '#notifications/digests.ts'
import { openMissedMailJob } from '#notifications/missed-messages.ts'
import { openMobilePushJob, openPushJob } from '#notifications/push.ts'
import { openWebhookJob } from '#notifications/webhooks.ts'
import { deleteOldAuditEntries } from '#organizations/audit-log.ts'
import { openDemoJob } from '#organizations/demos.ts'
import { openMessageCountJob } from '#organizations/usage.ts'
import type { PresenceBoard } from '#presence/board.ts'
import type { FileStore } from '#storage/files.ts'
import { ownsFiles } from '#storage/open-storage.ts'
import type { Db, RunTransaction, Storage } from '#storage/storage.ts'
import type { TableName } from '#storage/tables.ts'
import { type MakeExport, openExportJob, openScheduledBackups } from '#transfer/timed-jobs.ts'
import { emailRenderer } from '#workflows/email-catalogue.ts'
import { openErasureJob } from '#workflows/erase-user.ts'
import { openDirectorySyncJob } from '#workflows/sync-directory.ts'
import type { Settings } from './config.ts'

// All background jobs of the server: what they do, when, and on which nodes. A job that fails tries again by itself and
// does not hold up others; /health names it until it succeeds.

/** The parts of the server that jobs use. */
type JobParts = {
  storage: Storage
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** Receives the outcomes of deliveries; undefined if nothing is measured. */
  meter: Meter | undefined
  settings: Settings
  secret: Services['secret']
  presence: PresenceBoard
  files: FileStore
  /** The files that each node has for itself: pictures of other sites. */
  ownFiles: FileStore
  /** True if the files outlive the process, so that another database may use them as well. */
  hasLastingFiles: boolean
  /** The mail transport that replaces the relay of SMTP_URL; undefined to use that relay. */
  transport: MailTransport | undefined
  /** Replaces the function that fetches websites for link previews. */
  fetchPage: FetchPage | undefined
  /** Replaces the function that fetches pictures and videos of other sites. */
  fetchMedia: FetchMedia | undefined
  /** Makes a backup in BACKUP_DIR; null if this process makes no backups. */
  backUp: ((signal: AbortSignal) => Promise<void>) | null
  /** Makes an export of an organization at a path. */
  makeExport: MakeExport
  /** Returns true if this process does the work that only one node may do. */
  isResponsible: () => boolean
  /** The job for the certificates of https; null if the server speaks http. */
  certificates: Job | null
}

type Declaration<J extends Job | null> = {
  does: string
  when: string
  /** The nodes that run the job if several nodes share a database. */
  runsOn: 'the leader' | 'every node'
  /** The job wakes when any node changes this table. Jobs without a table wake themselves. */
  wokenBy?: TableName
  open: (parts: JobParts) => J | Promise<J>
}

const declare = <J extends Job | null>(declaration: Declaration<J>): Declaration<J> => declaration

const hasRelay = ({ transport, settings }: JobParts) => transport !== undefined || settings.SMTP_URL !== ''

/** All background jobs of the server. */
const JOBS = {
  mail: declare({
    does: 'sends the emails in the outbox, and tries again after failures',
    when: 'an email is due',
    runsOn: 'the leader',
    wokenBy: 'mails',
    async open(parts) {
      const transport = parts.transport ?? (await openTransport(parts.settings.SMTP_URL))
      return openMailJob({ ...parts, transport, ...emailRenderer(parts.secret, parts.settings, parts.clock) })
    },
  }),
  scheduledMessages: declare({
    does: 'sends scheduled messages',
    when: 'a message is due',
    runsOn: 'the leader',
    wokenBy: 'scheduledMessages',
    open: openScheduledMessageJob,
  }),
  missedMail: declare({
    does: 'queues emails about unread messages',
    when: 'a message has been unread for the time that its reader chose',
    runsOn: 'the leader',
    wokenBy: 'missedMessages',
    open: (parts) => openMissedMailJob({ ...parts, hasRelay: hasRelay(parts) }),
  }),
  digests: declare({
    does: 'queues weekly digests for users who have been away',
    when: 'hourly on the weekday that the organization chose, and ten minutes after the start',
    runsOn: 'the leader',
    open: (parts) => openDigestJob({ ...parts, hasRelay: hasRelay(parts) }),
  }),
  statuses: declare({
    does: 'clears statuses',
    when: 'the end of a status that its user chose',
    runsOn: 'the leader',
    wokenBy: 'userStatuses',
    open: openStatusJob,
  }),
  hiddenPresences: declare({
    does: 'shows the presence of users again',
    when: 'the time until which a user hid it',
    runsOn: 'the leader',
    wokenBy: 'hiddenPresences',
    open: openHiddenPresenceJob,
  }),
  secondFactorMail: declare({
    does: 'queues emails to people who must have a second factor and have none',
    when: 'hourly, and when an organization is changed',
    runsOn: 'the leader',
    wokenBy: 'realms',
    open: openSecondFactorMailJob,
  }),
  webhooks: declare({
    does: 'calls the webhooks of bots, and tries again after failures',
    when: 'a bot was mentioned or got a message',
    runsOn: 'the leader',
    wokenBy: 'webhookCalls',
    open: openWebhookJob,
  }),
  push: declare({
    does: 'notifies browsers while no page is open in them',
    when: 'a notification is due',
    runsOn: 'the leader',
    wokenBy: 'pushNotices',
    open: openPushJob,
  }),
  mobilePush: declare({
    does: 'notifies the devices of mobile apps by the push service, and removes notifications of read messages',
    when: 'a notification is due; every 20 seconds while some are shown',
    runsOn: 'the leader',
    wokenBy: 'mobilePushes',
    open: openMobilePushJob,
  }),
  linkPreviews: declare({
    does: 'adds previews of websites to messages that link to them',
    when: 'such a message was sent or edited',
    runsOn: 'the leader',
    wokenBy: 'linkPreviewRequests',
    open: openLinkPreviewJob,
  }),
  externalContent: declare({
    does: 'fetches pictures and videos of other sites at the request of readers, and deletes the oldest stored ones',
    when: 'hourly, and when an eighth of the cache was added',
    runsOn: 'every node',
    open: ({ ownFiles: files, ...parts }) => openExternalContentJob({ ...parts, files }),
  }),
  uploadCleanup: declare({
    does: 'deletes uploads that no message has linked to for five weeks, and files without a row',
    when: 'daily, and ten minutes after the start',
    runsOn: 'the leader',
    open: ({ hasLastingFiles, ...parts }) =>
      openUploadCleanupJob({
        ...parts,
        ownsFiles: async () =>
          !hasLastingFiles ||
          (await ownsFiles(parts.storage, parts.files, () => hasForeignFiles(parts.db, parts.files))),
      }),
  }),
  rerendering: declare({
    does: 'renders messages of an older renderer again',
    when: 'such a message is read',
    runsOn: 'every node',
    open: openRerenderJob,
  }),
  searchIndex: declare({
    does: 'adds messages to the search index',
    when: 'ten seconds after a message, or after 100 changes',
    runsOn: 'the leader',
    open: openSearchIndexJob,
  }),
  retention: declare({
    does: 'deletes messages that are older than the retention setting, expired local ids, canceled mails, old webhook deliveries, and old entries of the audit log',
    when: 'hourly, and ten minutes after the start',
    runsOn: 'the leader',
    open: (parts) =>
      openRetentionJob({
        ...parts,
        deleteOthers: [deleteCanceledMails, deleteOldDeliveries, deleteOldOutgoingDeliveries, deleteOldAuditEntries],
      }),
  }),
  messageCounts: declare({
    does: 'counts messages by day, for the usage page of organizations',
    when: 'hourly, and ten minutes after the start',
    runsOn: 'the leader',
    open: openMessageCountJob,
  }),
  erasures: declare({
    does: 'erases users: deletes their data, and replaces their name in mentions',
    when: 'an owner or the operator erases a user',
    runsOn: 'the leader',
    wokenBy: 'erasures',
    open: openErasureJob,
  }),
  directories: declare({
    does: 'updates accounts from LDAP directories, and deactivates those whose entry is gone',
    when: 'every hour, or the time that SIGN_IN_FILE says, and ten minutes after the start',
    runsOn: 'the leader',
    open: openDirectorySyncJob,
  }),
  demoOrganizations: declare({
    does: 'deactivates demo organizations',
    when: '30 days after a demo organization was created',
    runsOn: 'the leader',
    wokenBy: 'realms',
    open: openDemoJob,
  }),
  dataExports: declare({
    does: 'makes the exports that administrators request',
    when: 'an export was requested',
    runsOn: 'the leader',
    wokenBy: 'dataExports',
    open: ({ settings, hasLastingFiles, makeExport, ...parts }) =>
      openExportJob({ ...parts, make: makeExport, workFolder: hasLastingFiles ? settings.DATA_DIR : null }),
  }),
  certificates: declare({
    does: 'gets and renews certificates (HTTPS=auto), or reads those of HTTPS_CERT again',
    when: 'an organization is created; when two thirds of the life of a certificate are over; each minute for HTTPS_CERT',
    runsOn: 'every node',
    wokenBy: 'realms',
    open: ({ certificates }) => certificates,
  }),
  backups: declare({
    does: 'makes and verifies a backup in BACKUP_DIR, and deletes old ones',
    when: 'daily, or as BACKUP_TIME and BACKUP_EVERY_HOURS say, if BACKUP_DIR is set',
    runsOn: 'the leader',
    open: ({ backUp, settings, ...parts }) =>
      backUp === null || settings.BACKUP_DIR === '' ? null : openScheduledBackups({ ...parts, settings, make: backUp }),
  }),
}

/** The tables whose changes wake jobs, which act on their rows. */
export const wakingTables: readonly TableName[] = Object.values<Declaration<Job | null>>(JOBS).flatMap(
  ({ wokenBy }) => wokenBy ?? [],
)

export type Jobs = { readonly [Name in keyof typeof JOBS]: Awaited<ReturnType<(typeof JOBS)[Name]['open']>> }

/** Starts all jobs; `opened` closes them in reverse order. */
export async function openJobs(parts: JobParts, opened: AsyncDisposableStack): Promise<Jobs> {
  const jobs: Record<string, Job | null> = {}
  for (const [name, declaration] of Object.entries<Declaration<Job | null>>(JOBS)) {
    const job = await declaration.open(parts)
    jobs[name] = job
    if (job === null) continue
    opened.defer(() => job.close())
    if (declaration.wokenBy !== undefined) wakeByTable(parts.storage, declaration.wokenBy, job)
  }
  return jobs as Jobs
}

/**
 * Wakes a job when this process writes its table, when another process commits, and when this process becomes the
 * leader.
 */
function wakeByTable(storage: Storage, table: TableName, job: Job): void {
  storage.onCommit(({ written }) => written.has(table) && job.wake())
  storage.onOutsideCommit(() => job.wake())
  storage.onBecomeLeader(() => job.wake())
}

/** Returns the transport for the relay. The code for relays is loaded only if there is one. */
async function openTransport(smtpUrl: string): Promise<MailTransport> {
  if (smtpUrl === '') return storeOnlyTransport
  const { smtpTransport } = await import('#mail/smtp.ts')
  return smtpTransport(smtpUrl)
}

/** Returns all jobs that run here, with what they do in words. */
export function describeJobs(jobs: Jobs): DescribedJob[] {
  const declared: Record<string, { does: string }> = JOBS
  return Object.entries<Job | null>(jobs).flatMap(([name, job]) =>
    job === null ? [] : [{ name, does: declared[name]?.does ?? '', job }],
  )
}

/** Returns the jobs whose last attempt failed. Each has failed without a success since `since`, in UNIX seconds. */
export function findFailingJobs(jobs: Jobs): { name: string; since: number }[] {
  return Object.entries<Job | null>(jobs).flatMap(([name, job]) => {
    const since = job?.history().failingSince ?? null
    return since === null ? [] : [{ name, since }]
  })
}
