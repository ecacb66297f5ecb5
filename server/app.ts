import { X509Certificate } from 'node:crypto'
import path from 'node:path'
import { avatarPages } from '#accounts/avatars.ts'
import { scimPages } from '#directories/scim.ts'
import { emojiDataPage } from '#events/endpoints.ts'
import { EventHub } from '#events/event-hub.ts'
import type { Services } from '#http/endpoint.ts'
import { probePage, watchSignIns } from '#http/probe.ts'
import {
  Departure,
  type HttpOptions,
  type HttpServer,
  healthPage,
  type Interception,
  openHttp,
  openLimits,
  openPlainHttp,
  type Pages,
  type PlainHttpServer,
} from '#http/server.ts'
import type { Certificates } from '#https/certificates.ts'
import { openOutsideServices, type ServiceOrigins } from '#integrations/outside-services.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { FilesUnavailable } from '#lib/errors.ts'
import type { FetchMedia, FetchPage } from '#lib/guarded-fetch.ts'
import { type Log, openLog } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { projectRoot } from '#lib/process.ts'
import { withoutKeys } from '#lib/s3-url.ts'
import { type Random, systemRandom } from '#lib/secrets.ts'
import type { MailTransport } from '#mail/delivery.ts'
import type { ListenerOptions, MailListener } from '#mail-in/listener.ts'
import { externalContentPages } from '#messages/external-content.ts'
import { filePages } from '#messages/files.ts'
import { hasForeignFiles, lacksFiles } from '#messages/jobs.ts'
import { JointSender } from '#messages/send-once.ts'
import { openHealth } from '#monitoring/health.ts'
import type { Metrics, WatchedParts } from '#monitoring/metrics.ts'
import { openStatus, type Status } from '#monitoring/status.ts'
import { openTracesIfLoaded, type Traces } from '#monitoring/traces.ts'
import { keepPasswordsWithoutProviders } from '#organizations/change-realm-settings.ts'
import { emojiImagePages, realmPictureOperations, realmPicturePages } from '#organizations/pictures.ts'
import { openKeyUses } from '#people/api-keys.ts'
import { openAuthentication } from '#people/authentication.ts'
import { copySystemBots, ensureSystemBots } from '#people/bots.ts'
import { openPasswords, type PasswordCost } from '#people/password-hashes.ts'
import { openPresenceBoard } from '#presence/open-board.ts'
import { buildReference } from '#site/reference.ts'
import { emptyDatabase } from '#storage/copy.ts'
import { skipMessageIds } from '#storage/counters.ts'
import { joinDatabases } from '#storage/database-numbers.ts'
import { appendEvents, skipGivenIds } from '#storage/event-log.ts'
import { type FileStore, measuredFiles, openFileStore } from '#storage/files.ts'
import { filesOnceBound, openFiles, requireOwnFolder } from '#storage/open-files.ts'
import {
  bindFileStore,
  claimSharedFolder,
  openStorage,
  requireSharedFolder,
  type StorageOptions,
} from '#storage/open-storage.ts'
import { requireSharedSettings, saveSharedSettings } from '#storage/shared-settings.ts'
import type { Storage } from '#storage/storage.ts'
import { archivePages } from '#transfer/data-exports.ts'
import { exportArchive } from '#transfer/export-organization.ts'
import { exportPersonArchive } from '#transfer/personal-data.ts'
import type { MakeExport } from '#transfer/timed-jobs.ts'
import { api } from './api.ts'
import { type Settings, servesHttps } from './config.ts'
import { describeJobs, findFailingJobs, type Jobs, openJobs } from './jobs.ts'

// The composition of a server: it opens the storage, the state in memory, the jobs and the limits in this order, hands
// the endpoints, the pages and the authentication to http, and closes all in reverse order. No other module but `main`
// and `testing` imports it.

/**
 * Closing the server stops waiting for the database after this time, in milliseconds. By then, pending requests have
 * been answered or aborted.
 */
const CLOSING_TIME = 8000

export type AppOptions = {
  settings: Settings
  clock?: Clock
  random?: Random
  log?: Log
  /** The mail transport. The default is the relay of SMTP_URL. Without a relay, emails stay in the outbox. */
  transport?: MailTransport
  /** Replaces the function that fetches websites for link previews. */
  fetchPage?: FetchPage
  /** Replaces the function that fetches pictures and videos of other sites. */
  fetchMedia?: FetchMedia
  /** Replaces the origins of services such as Zoom. */
  serviceOrigins?: Partial<ServiceOrigins>
  /** The storage of uploaded files. The default is FILES_URL, DATA_DIR, or memory if the database is in memory. */
  files?: FileStore
  passwordCost?: PasswordCost
  /** Makes a backup in BACKUP_DIR. If omitted, the server makes no backups. */
  backUp?: (signal: AbortSignal) => Promise<void>
  /** The folder with the built web client. */
  webClient?: string
  /** Makes the exports that administrators request. By default, this process makes them. */
  makeExport?: MakeExport
  sqliteLog?: StorageOptions['sqliteLog']
  responseObserver?: NonNullable<HttpOptions['responseObserver']>
  /** Client timeouts that replace the defaults. */
  timeouts?: HttpOptions['timeouts']
  /** Limits on concurrent and waiting requests that replace the defaults. */
  limits?: HttpOptions['limits']
  /**
   * False if `RATE_LIMITING=false` turns off the limits of attempts as well, such as those of wrong passwords. The
   * default is false for disposable servers only.
   */
  limitsAttempts?: boolean
  /** True for servers that exist for tests only; see `Services`. */
  isDisposable?: boolean
  /** Set for a further database of the installation: the app of the first one, which has all that is shared. */
  first?: App
  /** The further databases of the installation, for the app of the first one. */
  further?: FurtherDatabases
  /** Called when the database failed and its content is unknown. If omitted, the process ends. */
  onFatal?: StorageOptions['onFatal']
  /** Additional pages. They take precedence over the server's own pages. */
  pages?: (app: App) => Pages
  /** Stands before all requests of a disposable server; see `Interception`. */
  interception?: Interception
}

type FurtherDatabases = {
  /** Returns what handles the requests for a host whose organization is in one of them; null for all others. */
  findHandling: NonNullable<HttpOptions['findHandling']>
  /** Returns the services of each, null for one that is away. */
  services: () => readonly (Services | null)[]
  /** `awaySince` is null for those that can be reached. */
  states: () => readonly { name: string; awaySince: number | null }[]
}

/** A complete server that is not listening yet. */
export type App = AsyncDisposable & {
  readonly services: Services
  readonly storage: Storage
  readonly jobs: Jobs
  readonly http: HttpServer
  /** The server for HTTP_PORT beside https, and the certificates; null if the server speaks http. */
  readonly https: { readonly plainHttp: PlainHttpServer; readonly certificates: Certificates } | null
  /** The SMTP server for incoming email; null if MAIL_IN_PORT is not set. */
  readonly mailIn: MailListener | null
  /** Null unless METRICS_PORT or METRICS_TOKEN is set. */
  readonly metrics: Metrics | null
  readonly status: Status
  /** Empties the database and all caches; for disposable servers only. */
  reset(): Promise<void>
  /** Lets the proxies in front of several nodes learn that this one stops, and resolves when they have. */
  leave(): Promise<void>
  /**
   * Stops accepting requests, answers pending ones and writes pending changes. Takes at most 10 seconds, and logs an
   * error if changes were lost.
   */
  close(): Promise<void>
}

/** The context in which the parts of a server are opened. `opened` closes them in reverse order. */
type Assembly = {
  options: AppOptions
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  /** Undefined if nothing is measured. */
  meter: Meter | undefined
  opened: AsyncDisposableStack
}

/** Opens the storage, migrates it, and assembles the server. */
export async function openApp(options: AppOptions): Promise<App> {
  const { settings, clock = systemClock(), random = systemRandom } = options
  const log = options.log ?? openLog(settings.LOG_LEVEL)
  await using opened = new AsyncDisposableStack()
  const { first } = options
  const metrics = first === undefined ? await openMetricsIfWanted(settings) : null
  if (metrics !== null) opened.defer(() => metrics.close())
  const meter = first === undefined ? metrics?.meter : first.services.meter
  const assembly: Assembly = { options, settings, clock, random, log, meter, opened }

  const storage = await openAppStorage(assembly)
  const traces = await openTracesIfLoaded()
  const { db } = storage
  const transaction = traces?.traced(storage.transaction) ?? storage.transaction
  const limitsAttempts = options.limitsAttempts ?? options.isDisposable !== true
  const { files, ownFiles, areLasting } = await openAppFiles(assembly, storage)
  if (storage.isShared) await requireSharedSettings(storage, log)
  const secret = db.secret()
  const live = await openLiveState(assembly, storage)
  const https = servesHttps(settings) && first === undefined ? await openHttps(assembly, storage) : null
  const jobs = await openJobs(
    {
      ...{ storage, clock, log, meter, settings, secret, files, ownFiles },
      presence: live.presence,
      db,
      transaction,
      hasLastingFiles: areLasting,
      transport: options.transport,
      fetchPage: options.fetchPage,
      fetchMedia: options.fetchMedia,
      backUp: options.backUp ?? null,
      makeExport: options.makeExport ?? exportHere(storage, files),
      isResponsible: storage.isLeader,
      certificates: https?.certificates.job ?? null,
    },
    opened,
  )
  const startedAt = Math.floor(clock.now())
  const health = openHealth({ storage, hub: live.hub, clock, startedAt, random, jobs: describeJobs(jobs) })
  opened.defer(health.stop)
  const status = openStatus({ storage, files, mail: jobs.mail, settings, clock })
  opened.defer(status.stop)
  const services: Services = {
    ...{ clock, random, settings, log, meter, files, secret, ...live },
    rerenderJob: jobs.rerendering,
    jointSender: new JointSender({ db, transaction }),
    externalContent: jobs.externalContent,
    passwords: openPasswords(random, options.passwordCost),
    outside: openOutsideServices({ settings, clock, log, origins: options.serviceOrigins }),
    ...openLimits({ storage, settings, clock, random, limitsAttempts }),
    authentication: openAuthentication({ db, transaction, clock, secret, keyUses: live.keyUses }),
    db,
    transaction,
    publish: storage.publish,
    ...(first !== undefined && { directory: first.storage }),
    health,
    startedAt,
    isDisposable: options.isDisposable ?? false,
  }
  let pages: Pages = () => null
  const departure = new Departure()
  const http = openHttp({
    services,
    findHandling: options.further?.findHandling,
    endpoints: api,
    ...(options.responseObserver && { responseObserver: options.responseObserver }),
    ...(traces && { tracer: traces.tracer }),
    pages: pagesOf(
      { storage, services, jobs, status, metrics, ownFiles, departure, further: options.further },
      (request) => pages(request),
    ),
    ...(options.interception && { interception: options.interception }),
    site: openSite(services, options.webClient ?? path.join(projectRoot, 'web/dist')),
    certificates: https?.certificates ?? null,
    onClose() {
      services.outside.close()
      return live.hub.close()
    },
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.limits && { limits: options.limits }),
  })
  opened.defer(() => http.close())
  const mailIn =
    settings.MAIL_IN_PORT === 0 || first !== undefined
      ? null
      : opened.use(
          await openMailIn(services, {
            certificates: https?.certificates ?? null,
            allServices: () => [services, ...(options.further?.services() ?? [])],
          }),
        )

  const certificateEnd = https === null ? null : () => endOfCertificate(https.certificates, settings)
  const furtherStates = options.further?.states ?? null
  await watch(metrics, traces, { ...services, storage, jobs, http, certificateEnd, furtherStates })

  const leave = async () => {
    if (storage.isShared) await departure.leave()
  }
  const close = closeInTime(assembly, { storage, jobs, leave })
  const app: App = {
    services,
    storage,
    jobs,
    http,
    https,
    mailIn,
    metrics,
    status,
    reset: () => resetApp(services),
    leave,
    close,
    [Symbol.asyncDispose]: close,
  }
  if (options.pages !== undefined) pages = options.pages(app)
  return app
}

/** Opens the metrics, whose code is loaded only if the settings ask for them. */
async function openMetricsIfWanted(settings: Settings): Promise<Metrics | null> {
  if (settings.METRICS_PORT === 0 && settings.METRICS_TOKEN === '') return null
  const { openMetrics } = await import('#monitoring/metrics.ts')
  return openMetrics(settings)
}

async function watch(metrics: Metrics | null, traces: Traces | null, parts: WatchedParts): Promise<void> {
  if (metrics === null && traces === null) return
  const { site } = await import('#site/site.ts')
  metrics?.watch(parts, { endpoints: api, pages: site })
  traces?.nameRoutes(api, site)
}

/** Returns the end of the certificate for EXTERNAL_URL, in UNIX seconds; null if there is none yet. */
function endOfCertificate(certificates: Certificates, { EXTERNAL_URL }: Settings): number | null {
  const pair = certificates.findPair(new URL(EXTERNAL_URL).hostname)
  return pair === null ? null : new X509Certificate(pair.cert).validToDate.getTime() / 1000
}

async function openAppStorage({ options, settings, clock, random, log, meter, opened }: Assembly): Promise<Storage> {
  const join = async (joining: Pick<Storage, 'db' | 'transaction'>) => {
    const { first } = options
    if (first !== undefined) await joinDatabases(first.storage, joining, (tx) => copySystemBots(tx, first.storage.db))
  }
  const prepare = async (prepared: Storage) => {
    await join(prepared)
    if (prepared.isShared && settings.FILES_URL === '')
      await claimSharedFolder(prepared, openFileStore(settings.DATA_DIR))
    prepared.db.secret()
    if (prepared.isShared) await saveSharedSettings(prepared)
    await prepared.transaction(async (tx) => {
      await skipGivenIds(tx)
      await skipMessageIds(tx)
      await ensureSystemBots(tx)
      await keepPasswordsWithoutProviders(tx)
    })
  }
  const storage = opened.use(
    await openStorage({
      settings,
      clock,
      random,
      log,
      meter,
      serve: true,
      prepare,
      append: appendEvents,
      ...(options.onFatal && { onFatal: options.onFatal }),
      ...(options.sqliteLog && { sqliteLog: options.sqliteLog }),
    }),
  )
  await join(storage)
  // A node that joins others does not prepare the database, but its version may have new bots.
  if (storage.isShared && storage.migrated.length > 0) await storage.transaction(ensureSystemBots)
  opened.defer(() => {
    if (!storage.isWritable()) log.error({}, 'The lock on the database is lost: pending changes are not written')
  })
  return storage
}

/** Opens the state that the server holds in memory: presence, event polls, and the last uses of API keys. */
async function openLiveState({ clock, log, meter, opened }: Assembly, storage: Storage) {
  const presence = await openPresenceBoard({ storage, clock, log })
  opened.defer(() => presence.close())
  const hub = new EventHub({ storage, clock, log, meter })
  opened.defer(() => hub.close())
  const keyUses = openKeyUses({ storage, clock, log })
  opened.defer(() => keyUses.flush())
  return { presence, hub, keyUses }
}

/** Opens the certificates, and the server for http beside https. The code is loaded only if it is used. */
async function openHttps({ settings, clock, log, random, opened }: Assembly, { db }: Storage) {
  const { openCertificates } = await import('#https/certificates.ts')
  const { plainHttpAnswers } = await import('#https/plain-http.ts')
  const certificates = await openCertificates({ settings, clock, log, random, db })
  const plainHttp = openPlainHttp({ settings, log, random }, plainHttpAnswers(settings, certificates))
  opened.defer(() => plainHttp.close())
  return { plainHttp, certificates }
}

/** Opens the SMTP server, whose code is loaded only if it is used. */
async function openMailIn(services: Services, options: ListenerOptions): Promise<MailListener> {
  const { openMailListener } = await import('#mail-in/listener.ts')
  return openMailListener(services, options)
}

/**
 * Opens the files. `ownFiles` are those that each node has for itself. `areLasting` is true if another database may use
 * the files as well. A wrong store is refused; one that is away is not.
 */
async function openAppFiles({ options, settings, log, meter }: Assembly, storage: Storage) {
  if (options.files !== undefined || settings.DATABASE_URL === 'memory') {
    const files = measuredFiles(options.files ?? openFileStore(null), meter)
    return { files, ownFiles: files, areLasting: false }
  }
  if (options.first !== undefined) {
    const { files } = options.first.services
    return { files, ownFiles: settings.FILES_URL === '' ? files : openFileStore(settings.DATA_DIR), areLasting: true }
  }
  const files = measuredFiles(await openFiles(settings, log), meter)
  if (settings.FILES_URL === '') {
    if (storage.isShared) await requireSharedFolder(storage, files)
    return { files, ownFiles: files, areLasting: true }
  }
  await requireOwnFolder(settings)
  const facts = {
    location: withoutKeys(settings.FILES_URL),
    isForeign: () => hasForeignFiles(storage.db, files),
    lacksFiles: () => lacksFiles(storage.db, files),
  }
  const boundFiles = filesOnceBound(files, () => bindFileStore(storage, files, facts), log)
  try {
    await boundFiles.bind()
  } catch (error) {
    if (!(error instanceof FilesUnavailable) || !error.isTemporary) throw error
    // The store has logged the reason.
    log.warn({}, 'The server starts without its file store')
  }
  return { files: boundFiles, ownFiles: openFileStore(settings.DATA_DIR), areLasting: true }
}

/** Returns the jobs that fail, and the file store and the further databases if they cannot be used. */
function findFailures(jobs: Jobs, files: FileStore, further: FurtherDatabases | undefined) {
  const since = files.failingSince?.() ?? null
  return [
    ...findFailingJobs(jobs).map(({ name, since }) => ({ what: `The job ${name}`, since })),
    ...(since === null ? [] : [{ what: 'The file store', since }]),
    ...(further?.states() ?? []).flatMap(({ name, awaySince }) =>
      awaySince === null ? [] : [{ what: `The database ${name}`, since: awaySince }],
    ),
  ]
}

/** Returns a function that makes exports in this process. */
function exportHere({ transaction }: Storage, files: FileStore): MakeExport {
  return async (path, { realm, ...part }, signal) => {
    const options = { transaction, files, signal, findRealm: async () => realm }
    if ('userId' in part) await exportPersonArchive(path, { ...options, userId: part.userId })
    else await exportArchive(path, { ...options, ...part })
  }
}

type PagesOptions = {
  storage: Storage
  services: Services
  jobs: Jobs
  status: Status
  metrics: Metrics | null
  ownFiles: FileStore
  departure: Departure
  further: FurtherDatabases | undefined
}

/** Returns the pages outside the API, in the order in which they are asked. */
function pagesOf(
  { storage, services, jobs, status, metrics, ownFiles, departure, further }: PagesOptions,
  additional: Pages,
): HttpOptions['pages'] {
  const signIns = watchSignIns(services)
  return {
    beforeApi: [
      signIns.page,
      additional,
      buildReference(api, services, realmPictureOperations),
      realmPicturePages(services),
      archivePages(services),
      scimPages(services),
    ],
    afterApi: [
      filePages(services),
      externalContentPages({ ...services, files: ownFiles }),
      avatarPages(services),
      emojiImagePages(services.files),
      emojiDataPage,
      healthPage(storage, () => findFailures(jobs, services.files, further), departure),
      status.page,
      ...(metrics === null ? [] : [metrics.page]),
      probePage(services, { failingJobs: () => findFailingJobs(jobs), otherHost: signIns.otherHost }),
    ],
  }
}

type ClosingParts = Pick<App, 'storage' | 'jobs' | 'leave'>

/**
 * Returns a function that closes all opened parts. One of several nodes first lets its proxies learn of that. The function
 * stops waiting for the database after CLOSING_TIME.
 */
function closeInTime({ log, opened }: Assembly, { storage, jobs, leave }: ClosingParts): () => Promise<void> {
  const parts = opened.move()
  return async () => {
    await leave()
    const timer = setTimeout(storage.giveUp, CLOSING_TIME)
    try {
      for (const job of Object.values(jobs)) void job?.close()
      await parts.disposeAsync()
    } catch (error) {
      log.error({ err: error }, 'Pending changes could not be written during shutdown')
      throw error
    } finally {
      clearTimeout(timer)
    }
  }
}

async function resetApp({ keyUses, hub, presence, transaction, rateLimiter, workBudget }: Services): Promise<void> {
  await keyUses.flush()
  await hub.reset()
  await presence.reset()
  await transaction(async (tx) => {
    await emptyDatabase(tx)
    await ensureSystemBots(tx)
  })
  rateLimiter.clear()
  workBudget.clear()
}

/**
 * Returns the site, whose pages are loaded at the first request of a browser, because servers with only API clients do
 * not need them.
 */
function openSite(services: Services, webClient: string): HttpOptions['site'] {
  let site: Promise<HttpOptions['site']> | undefined
  return async (request) => {
    site ??= import('#site/site.ts').then(({ buildSite }) => buildSite(services, { webClient }))
    return (await site)(request)
  }
}
