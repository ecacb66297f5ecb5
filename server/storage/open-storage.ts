import { createSecretKey, type KeyObject } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AS_IN_FILE, isPostgresUrl, listOf, type Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { DiskFull, FilesUnavailable } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { commandLine } from '#lib/process.ts'
import type { Random } from '#lib/secrets.ts'
import { followRecipientChanges } from './counters.ts'
import { FOLDER, findDatabaseNumber } from './database-numbers.ts'
import type { FileStore } from './files.ts'
import { openSqliteFile, openSqliteMemory } from './sqlite/open-sqlite.ts'
import type { WriteAheadLogOptions } from './sqlite/write-ahead-log.ts'
import {
  CannotOpenStorage,
  type Commit,
  type CommitCounters,
  type Db,
  ORDERED_TOPICS,
  type Origin,
  type Storage,
} from './storage.ts'
import {
  CommitListeners,
  decodeNodeMessage,
  encodeNodeMessage,
  encodePublished,
} from './transactions/commit-listeners.ts'
import { countedEngine, type Engine, NO_FEED, type NodeMembership } from './transactions/engine.ts'
import { queryBuilder } from './transactions/query-builder.ts'
import { RecipientChanges } from './transactions/recipient-changes.ts'
import { type AppendEmissions, transactionRunner } from './transactions/transaction.ts'
import { UserRowLog } from './transactions/user-rows.ts'

// Opens the database of an installation, on SQLite or PostgreSQL, and the folder that belongs to it. Before anything
// else is written, the database is migrated, and a server takes its lock or joins the other nodes. A folder and its
// database carry the same mark, so that a server never deletes or serves the files of another database.

export type StorageOptions = {
  /** The settings of the installation. Every `Db` contains them. DATABASE_URL selects the database. */
  settings: Settings
  clock: Clock
  random: Random
  log: Log
  /** Receives reports about statements, transactions and checkpoints. If omitted, nothing is measured. */
  meter?: Meter | undefined
  /**
   * True if this process serves the database. Commands do not serve it. Only one process can serve it, unless
   * SEVERAL_NODES is set.
   */
  serve: boolean
  /**
   * True if this is a maintenance command: its statements and transactions on PostgreSQL may take long, and it reserves
   * no disk space beside a SQLite file.
   */
  isMaintenance?: boolean
  /**
   * Called before the database is served, while no other process serves it. Not called if other nodes already serve it.
   */
  prepare?: (storage: Storage) => Promise<void>
  append: AppendEmissions
  /** The origin of transactions that name no other. The default is the server's own work. */
  origin?: Origin
  /** The options for the log of a SQLite file. Only tests set them. */
  sqliteLog?: WriteAheadLogOptions
  /** Called when the disk failed and the outcome of a write is unknown. If omitted, the process ends. */
  onFatal?: (error: unknown) => void
}

type OpenedEngine = { engine: Engine; migrated: string[]; nodes: NodeMembership | null; isFirst: boolean }

/** Opens the database, migrates it if it is older than the program, and takes the lock if `serve` is true. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const lastIds = new Map<string, number>()
  const self = options.random.bytes(9).toString('base64url')
  const opened = await openEngine(options, { id: self, lastIds })
  const engine = countedEngine(opened.engine, options.meter)
  const { nodes } = opened
  const { clock, random, settings, log, meter, append } = options
  const commitCounters = countersOf(lastIds, nodes)
  const listeners = new CommitListeners(commitCounters, log)
  engine.onOutsideCommit(() => listeners.announceOutsideCommit())
  nodes?.onMessage((text) => listeners.announceNodeMessage(decodeNodeMessage(text), self))

  const { dialect } = engine
  let known: KeyObject | undefined
  const secret = () => (known ??= openServerSecret(settings, random))
  const queries = queryBuilder(dialect, engine.read)
  const { replicas } = engine
  const db: Db = Object.assign(queries, {
    largeReads: () => (replicas === null ? queries : queryBuilder(dialect, replicas.beginReads())),
    ...{ dialect, written: null, knowsRecipients: false, commitCounters, settings, secret },
  })
  const runTransaction = transactionRunner({
    ...{ engine, commitCounters, settings, secret, clock, random, log, meter, append },
    origin: options.origin ?? originOfServer(log),
    announce: (commit) => listeners.announce(commit),
    nodeMessageOf:
      nodes === null
        ? null
        : (commit, notifiedIds) => ({
            text: encodeNodeMessage(self, commit, notifiedIds, nodes.maxMessageBytes),
            isOrdered: notifiedIds.keys().some((topic) => ORDERED_TOPICS.has(topic)),
          }),
  })
  const prepare = async () => options.prepare?.({ ...storage, transaction: runTransaction })
  const preparation = new Preparation(prepare, log, () => listeners.announceOutsideCommit())
  const close = once(engine.close)

  function publish(...[realmId, event, audience]: Parameters<Storage['publish']>): void {
    const emission = { realmId, event, audience: [...new Set(audience)] }
    if (emission.audience.length === 0) return
    if (nodes === null) return listeners.announcePublished(emission)
    const message = encodePublished(self, emission, nodes.maxMessageBytes)
    if (message !== null) listeners.announcePublished(emission)
    // An event that is too long for a message between nodes takes the way of all other events.
    const sent =
      message === null
        ? storage.transaction(async (tx) => tx.emit(realmId, event, emission.audience))
        : nodes.send(message, realmId)
    sent.catch((error) => {
      if (engine.isWritable()) log.warn({ err: error }, 'An event could not be sent to the other nodes')
    })
  }
  const storage: Storage = {
    db,
    migrated: opened.migrated,
    get statements() {
      return engine.statements
    },
    transaction: (work, options) =>
      preparation.isDone
        ? runTransaction(work, options)
        : preparation.retry().then(() => runTransaction(work, options)),
    publish,
    followEvents: async (realmId) => nodes?.followEvents(realmId) ?? NO_FEED,
    onPublished: (listener) => listeners.onPublished(listener),
    isShared: nodes !== null,
    isLeader: () => nodes === null || nodes.isLeader(),
    onBecomeLeader: (listener) => nodes?.onBecomeLeader(() => listeners.guard(listener)),
    onCommit: (listener) => listeners.onCommit(listener),
    onOutsideCommit: (listener) => listeners.onOutsideCommit(listener),
    notifyNodes(about, ids) {
      if (nodes === null) return
      const text = encodeNodeMessage(self, NO_CHANGES, new Map([[about, ids]]), nodes.maxMessageBytes)
      if (text !== '') nodes.send(text).catch(() => {})
    },
    onNodeNotification: (about, listener, { isOwnToo = false } = {}) =>
      listeners.onNodeNotification({ about, listener, isOwnToo }),
    isWritable: engine.isWritable,
    connections: engine.connections,
    bus: () => nodes?.bus() ?? null,
    replicaReads: () => replicas?.reads() ?? null,
    isReady: () => engine.isReady(),
    giveUp: engine.giveUp,
    close,
    [Symbol.asyncDispose]: close,
  }
  try {
    if (options.serve && dialect === 'postgres') await followRecipientChanges(storage)
    if (opened.isFirst) await preparation.begin(nodes === null)
    await nodes?.admitOthers()
  } catch (error) {
    await close()
    throw error
  }
  return storage
}

/** The commit of a message that reports none. */
const NO_CHANGES: Commit = {
  ...{ written: new Set(), changed: new Set(), userRows: new Map(), emitted: [], emittedIn: new Map() },
}

const originOfServer = (log: Log): Origin => ({
  ...{ by: 'server', actorId: null, remoteAddress: null, client: '', userAgent: '', log },
})

function countersOf(lastIds: Map<string, number>, nodes: NodeMembership | null): CommitCounters {
  return {
    commits: new Map(),
    changes: new Map(),
    unnamedCommits: new Map(),
    unnamedChanges: new Map(),
    userRows: new UserRowLog(),
    outsideCommits: 0,
    lastIds,
    recipientChanges: new RecipientChanges(),
    get isComplete() {
      return nodes === null || nodes.hasAllMessages()
    },
  }
}

/** Prepares the database. Nothing else may be written before. */
class Preparation {
  readonly #prepare: () => Promise<void>
  readonly #log: Log
  readonly #onLate: () => void
  #retrying: Promise<void> | null = null
  #isDone = true

  constructor(prepare: () => Promise<void>, log: Log, onLate: () => void) {
    this.#prepare = prepare
    this.#log = log
    this.#onLate = onLate
  }

  /** True unless the preparation was postponed. */
  get isDone(): boolean {
    return this.#isDone
  }

  /**
   * Prepares the database. With `maybeLater`, a full disk postpones the preparation until the first write for which
   * there is space. Reads work meanwhile.
   */
  async begin(maybeLater: boolean): Promise<void> {
    try {
      await this.#prepare()
    } catch (error) {
      if (!maybeLater || !(error instanceof DiskFull)) throw error
      this.#log.error(
        { reason: error.message },
        'The disk is full. The server answers reads, but saves nothing until there is space',
      )
      this.#isDone = false
    }
  }

  /** Tries again. Concurrent callers share an attempt. */
  retry(): Promise<void> {
    this.#retrying ??= this.#attempt().finally(() => {
      this.#retrying = null
    })
    return this.#retrying
  }

  async #attempt(): Promise<void> {
    await this.#prepare()
    this.#isDone = true
    this.#log.warn({}, 'There is space on the disk again, and the server saves changes')
    this.#onLate()
  }
}

/** Returns a function that runs the job at its first call. Each call returns the promise of that run. */
function once(job: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  return () => {
    result ??= job()
    return result
  }
}

/** The id of this process among the nodes, and the last id of each counter that it knows to be committed. */
type ProcessState = { id: string; lastIds: ReadonlyMap<string, number> }

async function openEngine(options: StorageOptions, { id, lastIds }: ProcessState): Promise<OpenedEngine> {
  const { clock, random, log, meter, serve, isMaintenance = false, settings } = options
  const { DATABASE_URL: url, DATABASE_CONNECTIONS: maxConnections, SEVERAL_NODES: isShared } = settings
  const onFatal = (error: unknown) => {
    log.error({ err: error }, 'The database failed, and its content is unknown until it is opened again')
    ;(options.onFatal ?? (() => process.exit(1)))(error)
  }
  if (isPostgresUrl(url)) {
    // The driver is loaded on demand, because it takes time and memory.
    const { openPostgres } = await import('./postgres/open-postgres.ts')
    const { NATS_URL: natsUrl } = settings
    const nats = natsUrl === '' ? null : { url: natsUrl, secret: () => openServerSecret(settings, random), random, log }
    const replicaUrls = listOf(settings.DATABASE_READ_URLS)
    const database = { id, lastIds, isShared, nats, replicaUrls, maxConnections }
    return openPostgres(url, { ...database, clock, log, serve, isMaintenance, onFatal })
  }
  if (serve && isShared)
    throw new CannotOpenStorage(
      'SEVERAL_NODES needs PostgreSQL, and DATABASE_URL names no such database: one process serves a SQLite file.',
      { isTemporary: false },
    )
  const [scheme] = /^[a-z][a-z0-9+.-]+:(?=\/\/)/i.exec(url) ?? []
  if (scheme !== undefined)
    throw new CannotOpenStorage(
      `A database is a path (SQLite), \`memory\`, or \`postgres://…\`; Parley knows no databases at ${scheme}`,
      { isTemporary: false },
    )
  const alone = { nodes: null, isFirst: serve }
  if (url === 'memory') return { ...alone, ...(await openSqliteMemory({ clock, onFatal })) }
  return {
    ...alone,
    ...(await openSqliteFile(url, { clock, log, meter, serve, isMaintenance, onFatal, sqliteLog: options.sqliteLog })),
  }
}

// The folder of an installation, which contains its uploaded files and its secret.

/** The name of the file that identifies the folder it is in. */
export const FOLDER_ID = 'folder-id'

/**
 * Makes this the folder that all nodes share, unless the database already names such a folder. It must be called while
 * no other node serves the database.
 */
export async function claimSharedFolder(storage: Storage, files: FileStore): Promise<void> {
  if ((await findExpectedId(storage.db)) === null) await claim(storage, files, await readId(files))
}

/**
 * Refuses a folder that is not the shared one. Otherwise, files uploaded at one node would be missing at the others.
 */
export async function requireSharedFolder({ db }: Storage, files: FileStore): Promise<void> {
  const [expected, found] = [await findExpectedId(db), await readId(files)]
  if (found === expected) return
  throw new CannotOpenStorage(
    `DATA_DIR, ${resolve(db.settings.DATA_DIR)}, is not the folder that the nodes of this database share: files uploaded at one node ` +
      'would be missing at another. If the others have FILES_URL, set it here, too. Otherwise, mount the same folder on ' +
      'every machine, and name it by DATA_DIR. If it is the same, ' +
      `and lost its file ${FOLDER_ID}, write this line into that file: ${expected}`,
  )
}

/** Facts about the files of a store, which only higher modules know. */
type StoreFacts = {
  /** The address of the store, without keys. */
  location: string
  /** Returns true if the store has files and the database knows none of them. */
  isForeign: () => Promise<boolean>
  /** Returns true if the database has files and the store has none of them. */
  lacksFiles: () => Promise<boolean>
}

/**
 * Refuses a store with the files of another database, and one without the files of this database. Another store becomes
 * that of this database. It is written to, so that missing permissions are noticed.
 */
export async function bindFileStore(storage: Storage, files: FileStore, facts: StoreFacts): Promise<void> {
  const { location, isForeign, lacksFiles } = facts
  const [expected, found] = [await findExpectedId(storage.db), await readId(files)]
  if (found === null ? await isForeign() : found !== expected)
    throw new FilesUnavailable(
      `${location} contains the files of another database. Choose another prefix for FILES_URL, or use the database that ` +
        `belongs to these files. If it is this one, ${expected === null ? `delete the object ${FOLDER_ID}` : `copy this line into the object ${FOLDER_ID}: ${expected}`}`,
      { isTemporary: false },
    )
  if (found === null && (await lacksFiles()))
    throw new FilesUnavailable(
      `${location} has none of the files of this database. Copy them there first: ${commandLine('files copy DATA_DIR FILES_URL')}`,
      { isTemporary: false },
    )
  if (expected === null) await claim(storage, files, found)
  else await writeId(files, expected)
}

/**
 * Returns whether the files belong to the database, so that unknown files may be deleted. If a new database was created
 * beside the files of another one, they do not belong to the new one. Unmarked files are claimed for the database,
 * unless `isForeign` returns true.
 */
export async function ownsFiles(
  storage: Storage,
  files: FileStore,
  isForeign: () => Promise<boolean>,
): Promise<boolean> {
  // Files that this database does not know may be those of an organization in another one.
  if ((await findDatabaseNumber(storage.db)) !== null) return false
  const [expected, found] = [await findExpectedId(storage.db), await readId(files)]
  if (found !== null) return found === expected
  if (expected !== null) await writeId(files, expected)
  else if (await isForeign()) return false
  else await claim(storage, files, null)
  return true
}

async function claim({ db, transaction }: Storage, files: FileStore, found: string | null): Promise<void> {
  await transaction(async (tx) => {
    const value = found ?? tx.random.bytes(16).toString('hex')
    // Another node may have claimed a store at the same time.
    const row = tx.insertInto('installation').values({ name: FOLDER, value })
    await row.onConflict((conflict) => conflict.doNothing()).execute()
  })
  await writeId(files, String(await findExpectedId(db)))
}

async function findExpectedId(db: Storage['db']): Promise<string | null> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', FOLDER).executeTakeFirst()
  return row?.value ?? null
}

const writeId = (files: FileStore, id: string) => files.save(FOLDER_ID, Buffer.from(`${id}\n`))

const readId = async (files: FileStore) => (await files.read(FOLDER_ID))?.toString('latin1').trim() ?? null

/** The length of the secret in bytes. */
const SECRET_LENGTH = 32

/**
 * Returns the secret of the installation. The server derives links from it. The secret is SECRET_KEY, or else the
 * content of a file in the data folder. The first start creates the file. The secret is stored separately from the
 * database, so that a copy of the database cannot open invitations.
 */
function openServerSecret(settings: Settings, random: Random): KeyObject {
  return createSecretKey(readServerSecret(settings, random))
}

/** The name of the file with the secret, in DATA_DIR. */
export const SECRET_FILE = 'secret'

/** Returns the secret of the installation, or null if there is none yet. Creates nothing. */
export function findServerSecret(settings: Settings): KeyObject | null {
  if (settings.SECRET_KEY !== '') return createSecretKey(bytesOf(settings.SECRET_KEY))
  const path = join(settings.DATA_DIR, SECRET_FILE)
  return existsSync(path) ? createSecretKey(readSecretFile(path)) : null
}

/** Returns the bytes of SECRET_KEY: its text, or after `hex:` the content of a file with a secret. */
const bytesOf = (secretKey: string) =>
  secretKey.startsWith(AS_IN_FILE) ? Buffer.from(secretKey.slice(AS_IN_FILE.length), 'hex') : Buffer.from(secretKey)

const readSecretFile = (path: string) => Buffer.from(readFileSync(path, 'latin1').trim(), 'hex')

function readServerSecret(settings: Settings, random: Random): Buffer {
  if (settings.SECRET_KEY !== '') return bytesOf(settings.SECRET_KEY)
  if (settings.DATABASE_URL === 'memory') return random.bytes(SECRET_LENGTH)
  const path = join(settings.DATA_DIR, SECRET_FILE)
  mkdirSync(settings.DATA_DIR, { recursive: true })
  try {
    writeFileSync(path, random.bytes(SECRET_LENGTH).toString('hex'), { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(path, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readSecretFile(path)
}
