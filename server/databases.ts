import { databaseUnavailable, type Handling, organizationMoving, refuseAll } from '#http/server.ts'
import { explainError, isLasting, OperatorError } from '#lib/errors.ts'
import { withFields } from '#lib/log.ts'
import { findPlaces, type Place } from '#realms/places.ts'
import { findRealmBySubdomain } from '#realms/queries.ts'
import { subdomainOf } from '#realms/realm.ts'
import { becomeFirst, databaseName, findDatabaseNumber, settingsOfDatabases } from '#storage/database-numbers.ts'
import { inspectDatabase } from '#storage/inspect.ts'
import { claimSharedFolder } from '#storage/open-storage.ts'
import { CannotOpenStorage } from '#storage/storage.ts'
import { type App, type AppOptions, openApp } from './app.ts'
import { isPostgresUrl, type Settings } from './config.ts'

// A server on several databases. Each has an app of its own: storage, jobs, events, limits. The first one listens, and
// passes the requests for an organization in another database to the app of that one, as the directory in the first
// database says. A database that is away takes only its own organizations with it: they are refused until it is back.

/** Seconds after which a client may repeat a request for an organization that cannot be reached. */
const RETRY_AFTER = 5

/** Milliseconds between two attempts to open a database, or to read the directory. */
const OPENING_INTERVAL = 5000

const away = refuseAll(databaseUnavailable, RETRY_AFTER)
const moving = refuseAll(organizationMoving, RETRY_AFTER)

type ServerOptions = Omit<AppOptions, 'backUp' | 'makeExport'> & {
  /** Returns the functions that make the backups and exports of a database in processes of their own. */
  inProcess: (settings: Settings) => Pick<AppOptions, 'backUp' | 'makeExport'>
}

/**
 * Opens the server of an installation, on DATABASE_URL or on all DATABASE_URLS. A wrong further database is refused; one
 * that is away is opened as soon as it is back.
 */
export async function openServer({ inProcess, ...options }: ServerOptions): Promise<App> {
  const [settings, ...others] = settingsOfDatabases(options.settings)
  const further: FurtherDatabase[] = []
  const directory = new Directory(further)
  const isSpread = others.length > 0
  // A node whose settings lack the other databases must refuse the organizations that move there, rather than deny them.
  const hasDirectory = isPostgresUrl(settings.DATABASE_URL)
  await requireOrder(settings, others)
  await using opened = new AsyncDisposableStack()
  const first: App = opened.use(
    await openApp({
      ...options,
      ...inProcess(settings),
      settings,
      ...(hasDirectory && {
        further: {
          findHandling: (host) => directory.findHandling(host, settings),
          services: () => further.map(({ app }) => app?.services ?? null),
          states: () => further.map(({ name, awaySince }) => ({ name, awaySince })),
        },
      }),
    }),
  )
  if (isSpread) {
    if (settings.FILES_URL === '') await claimSharedFolder(first.storage, first.services.files)
    await becomeFirst(first.storage)
  }
  for (const own of others) {
    const log = withFields(first.services.log, { database: databaseName(own) })
    const database = new FurtherDatabase({ ...options, ...inProcess(own), log, settings: own, first })
    further.push(database)
    opened.defer(() => database.close())
    await database.open()
    if (database.number !== null && further.some((other) => other !== database && other.number === database.number))
      throw new CannotOpenStorage(`${database.name} is named twice, under different addresses. Name it once.`, {
        isTemporary: false,
      })
  }
  if (!isSpread) await requireOnlyDatabase(first)
  if (!hasDirectory) {
    opened.move()
    return first
  }
  opened.use(directory)
  await directory.follow(first)
  requireAllDatabases(directory.places, further)
  const parts = opened.move()
  const close = async () => {
    await first.leave()
    // The requests to all apps are in flight at the first one. Each app ends the waiting polls of its own clients.
    await Promise.all([first, ...further.flatMap(({ app }) => app ?? [])].map(({ http }) => http.close()))
    // Databases that are away delay the end together.
    await Promise.allSettled(further.map((database) => database.close()))
    await parts.disposeAsync()
  }
  return { ...first, close, [Symbol.asyncDispose]: close }
}

/** Refuses an empty database before one that is not: it would become the first one, and could never be another again. */
async function requireOrder(first: Settings, others: readonly Settings[]): Promise<void> {
  if (others.length === 0 || (await findVersion(first)) !== 0) return
  for (const own of others)
    if (((await findVersion(own)) ?? 0) > 0)
      throw new CannotOpenStorage(
        `${databaseName(first)}, the first of DATABASE_URLS, is empty, and ${databaseName(own)} is not. ` +
          'Name first the database that the installation has had until now.',
        { isTemporary: false },
      )
}

/** Returns the number of the last migration, 0 if the database is empty, and null if it cannot be looked at. */
async function findVersion(settings: Settings): Promise<number | null> {
  try {
    await using found = await inspectDatabase(settings)
    return found.version
  } catch {
    return null
  }
}

/** Refuses to serve one database of several alone, whose settings name no others. */
async function requireOnlyDatabase({ storage: { db } }: App): Promise<void> {
  const number = await findDatabaseNumber(db)
  if (number !== null && number !== 0)
    throw new CannotOpenStorage(
      `DATABASE_URL is database ${number} of an installation with several. Name all of them in DATABASE_URLS, beginning with the first one, which has the directory of organizations.`,
      { isTemporary: false },
    )
}

/** Refuses to start if organizations are in a database that the settings do not name. */
function requireAllDatabases(places: ReadonlyMap<string, Place>, further: readonly FurtherDatabase[]): void {
  const lack = explainLack(places, further)
  if (lack !== null) throw new CannotOpenStorage(lack, { isTemporary: false })
}

/** Says which database with organizations the settings do not name; null if they name all. */
function explainLack(places: ReadonlyMap<string, Place>, further: readonly FurtherDatabase[]): string | null {
  // The number of a database that is away is not known.
  if (further.some(({ app }) => app === null)) return null
  const numbers = new Set([0, ...further.map(({ number }) => number)])
  const absent = [...places].filter(([, { database }]) => !numbers.has(database))
  if (absent.length === 0) return null
  const names = absent.slice(0, 5).map(([subdomain]) => subdomain || '(root)')
  return (
    `DATABASE_URLS lacks database ${absent[0]![1].database}, which has these organizations: ${names.join(', ')}${absent.length > names.length ? ', …' : ''}. ` +
    'Name all databases of the installation.'
  )
}

/** The directory in memory: where the organizations are that are not in the first database. */
class Directory {
  places: ReadonlyMap<string, Place> = new Map()
  readonly #further: readonly FurtherDatabase[]
  #isReading = false
  /** True if the directory may have changed since the last reading began. */
  #isStale = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(further: readonly FurtherDatabase[]) {
    this.#further = further
  }

  findHandling(host: string, { EXTERNAL_URL, REALM_HOSTS }: Settings): Handling | null {
    const place = this.places.get(subdomainOf(host, EXTERNAL_URL, REALM_HOSTS))
    if (place === undefined) return null
    if (place.movingSince !== null) return moving
    const app = this.#further.find(({ number }) => number === place.database)?.app ?? null
    return app?.storage.isWritable() ? app.http.handling : away
  }

  /** Reads the directory, and again after each of its changes. */
  async follow(first: App): Promise<void> {
    const { storage } = first
    const readAgain = () => void this.#read(first).catch((error) => this.#readLater(first, error))
    storage.onCommit(({ written }) => written.has('organizationDatabases') && readAgain())
    storage.onOutsideCommit(readAgain)
    await this.#read(first)
  }

  /** Reads one after the other, so that a slow answer does not replace a newer one. */
  async #read(first: App): Promise<void> {
    this.#isStale = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isStale) {
        this.#isStale = false
        this.#change(await findPlaces(first.storage.db), first)
      }
    } finally {
      this.#isReading = false
    }
  }

  #readLater(first: App, error: unknown): void {
    if (this.#isClosed) return
    if (first.storage.isWritable())
      first.services.log.error({ err: error }, 'The directory of organizations cannot be read')
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => void this.#read(first).catch((again) => this.#readLater(first, again)),
      OPENING_INTERVAL,
    )
  }

  [Symbol.dispose](): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Ends the polls of organizations that have left a database: they would wait there for events in vain. */
  #change(places: ReadonlyMap<string, Place>, first: App): void {
    const former = this.places
    this.places = places
    const lack = explainLack(places, this.#further)
    if (lack !== null && explainLack(former, this.#further) === null)
      first.services.log.error({ reason: lack }, 'This node refuses organizations in a database that it does not know')
    for (const subdomain of new Set([...former.keys(), ...places.keys()])) {
      const [before, after] = [former, places].map((some) => some.get(subdomain) ?? FIRST) as [Place, Place]
      if (before.database === after.database && before.movingSince === after.movingSince) continue
      for (const app of [first, ...this.#further.flatMap((database) => database.app ?? [])])
        void Promise.resolve(findRealmBySubdomain(app.storage.db, subdomain)).then(
          (realm) => realm !== null && app.services.hub.evict(realm.id),
          () => {},
        )
    }
  }
}

const FIRST: Place = { database: 0, movingSince: null }

/** A database beside the first one. */
class FurtherDatabase {
  app: App | null = null
  number: number | null = null
  /** The time since which an attempt to open it fails, in UNIX seconds. */
  #failingSince: number | null = null
  /** True if the log says that it is away, and not yet that it is back. */
  #isReported = false
  readonly #options: AppOptions & { first: App }
  /** The host and the name of the database. */
  readonly name: string
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: AppOptions & { first: App }) {
    this.#options = options
    this.name = databaseName(options.settings)
  }

  /** Opens the database, or begins to try again if it is away. Throws an `OperatorError` if it is the wrong one. */
  async open(): Promise<void> {
    try {
      await this.#openApp()
    } catch (error) {
      const reason = explainError(error)
      if (reason === null) throw error
      if (isLasting(error)) throw new OperatorError(`${this.name}: ${reason}`, { isTemporary: false, cause: error })
      if (!this.#isReported)
        this.#log.error({ database: this.name, reason }, 'A database is away. Its organizations cannot be reached')
      this.#isReported = true
      this.#tryLater()
    }
    if (this.#isClosed) await this.#closeApp()
  }

  async #openApp(): Promise<void> {
    let isLost = false
    const onFatal = () => {
      // The app is still being opened.
      if (this.app === null) isLost = true
      else this.#reopen()
    }
    const app = await openApp({ ...this.#options, onFatal })
    try {
      const number = await findDatabaseNumber(app.storage.db)
      if (this.number !== null && number !== this.number)
        throw new OperatorError(`It was database ${this.number} of the installation, and is ${number} now.`, {
          isTemporary: false,
        })
      if (isLost) throw new OperatorError('Its connection was lost')
      this.number = number
      this.app = app
      app.status.start()
      app.services.health.start()
    } catch (error) {
      this.app = null
      await app.close().catch(() => {})
      throw error
    }
  }

  get awaySince(): number | null {
    if (this.app?.storage.isWritable()) this.#failingSince = null
    else this.#failingSince ??= this.#options.first.services.clock.now()
    return this.#failingSince
  }

  get #log() {
    return this.#options.first.services.log
  }

  #tryLater(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.open().then(
        () => {
          if (this.app === null) return
          this.#isReported = false
          this.#log.warn({ database: this.name }, 'A database that was away is served again')
        },
        (error) => {
          this.#log.error({ err: error, database: this.name }, 'A database cannot be served')
          this.#tryLater()
        },
      )
    }, OPENING_INTERVAL)
  }

  /** Opens the database anew after a failure that leaves its content unknown. */
  #reopen(): void {
    this.#closeApp().catch(() => {})
    this.#tryLater()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#closeApp()
  }

  async #closeApp(): Promise<void> {
    const { app } = this
    this.app = null
    await app?.close()
  }
}
