import { createAtom } from '@tanstack/react-store'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { DATABASE_PREFIX, storesPersonalData } from '../browser/personal-data.ts'
import { addOutgoing, findOutgoing, type OutgoingMessage, outgoing, removeOutgoing } from './outgoing.ts'

/** The data that this browser keeps for a user. Each user has a separate IndexedDB database. */
type Schema = DBSchema & {
  /** Messages that the server has not confirmed yet, by their local id. */
  outgoing: { key: string; value: OutgoingMessage }
}

type Database = IDBPDatabase<Schema>

const VERSION = 1

const opened = new Map<number, Promise<Database | null>>()

/** Opens the user's database; resolves to null if the browser stores nothing. */
function openDatabase(userId: number): Promise<Database | null> {
  const known = opened.get(userId) ?? open(userId)
  opened.set(userId, known)
  return known
}

async function open(userId: number): Promise<Database | null> {
  if (!storesPersonalData()) return null
  try {
    const database = await openDB<Schema>(DATABASE_PREFIX + userId, VERSION, {
      upgrade(created) {
        created.createObjectStore('outgoing', { keyPath: 'localId' })
      },
      // Another tab is about to delete or upgrade the database.
      blocking: (_, __, { target }) => (target as IDBDatabase).close(),
      terminated: () => void opened.delete(userId),
    })
    return database
  } catch {
    return null
  }
}

/** Runs work on the user's database; resolves to null if the browser stores nothing or the work fails. */
async function withDatabase<Result>(
  userId: number,
  work: (database: Database) => Promise<Result>,
): Promise<Result | null> {
  const database = await openDatabase(userId)
  if (database === null || !storesPersonalData()) return null
  try {
    return await work(database)
  } catch {
    return null
  }
}

/** A notice between tabs of the same user. An outgoing message was added or changed, confirmed, or removed. */
type Notice = { type: 'saved' | 'confirmed'; message: OutgoingMessage } | { type: 'removed'; localId: string }

type Connection = { userId: number; channel: BroadcastChannel }

const connection = createAtom<Connection | null>(null)

/** The writes, one after the other, so that a message is not saved after it was removed. */
const writes = createAtom<Promise<unknown>>(Promise.resolve())

function write(work: (connection: Connection) => Promise<unknown>): void {
  const current = connection.get()
  if (current !== null) writes.set((before) => before.then(() => work(current)))
}

const notify = (notice: Notice): void => connection.get()?.channel.postMessage(notice)

/** Saves a message, so that it survives a reload, and shows it in the other tabs. */
export function saveOutgoing(message: OutgoingMessage): void {
  notify({ type: 'saved', message })
  write(({ userId }) => withDatabase(userId, (database) => database.put('outgoing', message)))
}

/** Removes a confirmed message from storage. Other tabs show it until its event has arrived. */
export function forgetConfirmed(message: OutgoingMessage): void {
  notify({ type: 'confirmed', message })
  write(({ userId }) => withDatabase(userId, (database) => database.delete('outgoing', message.localId)))
}

/** Removes a message from this tab, from storage and from the other tabs. */
export function deleteOutgoing(localId: string): void {
  removeOutgoing(localId)
  notify({ type: 'removed', localId })
  write(({ userId }) => withDatabase(userId, (database) => database.delete('outgoing', localId)))
}

/**
 * Loads the messages that were not sent before the page was closed, and follows the changes of other tabs. Calls
 * `onChange` when there may be something to send. Its argument is the message that another tab has confirmed or failed
 * to send; null if none was. Returns a function that stops this.
 */
export function connectOutgoing(userId: number, onChange: (settled: OutgoingMessage | null) => void): () => void {
  const channel = new BroadcastChannel(`parley.outgoing.${userId}`)
  connection.set({ userId, channel })
  channel.onmessage = ({ data: notice }: MessageEvent<Notice>) => {
    if (notice.type === 'removed') removeOutgoing(notice.localId)
    else addOutgoing(notice.message)
    const isSettled = notice.type === 'confirmed' || (notice.type === 'saved' && notice.message.failure !== null)
    onChange(isSettled ? notice.message : null)
  }
  for (const message of outgoing.get()) saveOutgoing(message)
  void withDatabase(userId, (database) => database.getAll('outgoing')).then((stored) => {
    for (const message of stored ?? []) if (findOutgoing(message.localId) === undefined) addOutgoing(message)
    onChange(null)
  })
  return () => {
    channel.close()
    connection.set(null)
  }
}
