import { createAtom } from '@tanstack/store'
import { awaitLogOut } from '../api/session.ts'

/** The prefixes of the names of databases with a user's data. The user id follows the prefix. */
export const DATABASE_PREFIX = 'parley.'
export const CACHE_PREFIX = 'parley-cache.'

/** Deletes the databases of the users whose id `matches` accepts. */
async function deleteDatabases(matches: (userId: number) => boolean): Promise<void> {
  try {
    for (const { name = '' } of await indexedDB.databases()) {
      const prefix = [DATABASE_PREFIX, CACHE_PREFIX].find((one) => name.startsWith(one))
      if (prefix !== undefined && matches(Number(name.slice(prefix.length)))) indexedDB.deleteDatabase(name)
    }
  } catch {
    // Without storage there are no databases.
  }
}

/** The prefixes of the storage keys of a user's content. The user id follows the prefix. */
const PREFIXES = ['parley.draft.', 'parley.kept.', 'parley.emoji.', 'parley.reactions.', 'parley.cached.']

const CHANNEL = 'parley.person'

/**
 * The maximum time that a tab waits for a logout in another tab, in milliseconds. The other tab may have been closed.
 */
const LOG_OUT_TIME = 10_000

type Notice = { type: 'opened' | 'logging-out' | 'stayed' | 'logged-out'; userId: number }

const isClosed = createAtom(false)

/** Returns true if this page may store the user's content: false after a logout. */
export const storesPersonalData = (): boolean => !isClosed.get()

/** Returns the keys of content of the users whose id `matches` accepts. */
export function personalKeys(keys: readonly string[], matches: (userId: number) => boolean): string[] {
  return keys.filter((key) => {
    const prefix = PREFIXES.find((one) => key.startsWith(one))
    return prefix !== undefined && matches(Number.parseInt(key.slice(prefix.length), 10))
  })
}

function removeTexts(matches: (userId: number) => boolean): void {
  void deleteDatabases(matches)
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const key of personalKeys(Object.keys(storage), matches)) storage.removeItem(key)
  } catch {
    // Without storage there is no content to remove.
  }
}

/**
 * Removes a user's content from this tab and from the storage that all tabs share. Afterwards, the page stores no more
 * content.
 */
function close(userId: number): void {
  isClosed.set(true)
  removeTexts((id) => id === userId)
  // The cached page belongs to this user.
  void globalThis.caches?.delete('parley-page').catch(() => {})
  void (navigator as Partial<Navigator>).clearAppBadge?.().catch(() => {})
}

/**
 * Removes the stored content of all users except `userId` from this browser. Leaves the page when the user logs out in
 * another tab, or when another user opens the client in another tab. Returns a function that stops this.
 */
export function guardPersonalData(userId: number): () => void {
  removeTexts((id) => id !== userId)
  const channel = new BroadcastChannel(CHANNEL)
  const leave = (to: string) => {
    close(userId)
    location.replace(to)
  }
  let endWait = () => {}
  channel.onmessage = ({ data: notice }: MessageEvent<Notice>) => {
    // The page that logged out receives the message of its own logout. It leaves by itself.
    if (isClosed.get()) return
    if (notice.type === 'logging-out' && notice.userId === userId) {
      const { promise, resolve } = Promise.withResolvers<void>()
      endWait = resolve
      setTimeout(resolve, LOG_OUT_TIME)
      awaitLogOut(promise)
    }
    if (notice.type === 'stayed' && notice.userId === userId) endWait()
    if (notice.type === 'logged-out' && notice.userId === userId) leave('/login/')
    if (notice.type === 'opened' && notice.userId !== userId) leave('/')
  }
  // The Back button can restore a page from before the logout.
  const reload = ({ persisted }: PageTransitionEvent) => persisted && isClosed.get() && location.reload()
  addEventListener('pageshow', reload)
  channel.postMessage({ type: 'opened', userId } satisfies Notice)
  return () => {
    channel.close()
    removeEventListener('pageshow', reload)
  }
}

/**
 * Logs out, then removes the user's content in all tabs. During the logout, requests may fail because the session has
 * ended; they do not open the login page. Rejects with the error of `logOut` if that fails.
 */
export async function removePersonalDataAfter(userId: number, logOut: () => Promise<void>): Promise<void> {
  const channel = new BroadcastChannel(CHANNEL)
  const notify = (type: Notice['type']) => channel.postMessage({ type, userId } satisfies Notice)
  const { promise, resolve } = Promise.withResolvers<void>()
  awaitLogOut(promise)
  notify('logging-out')
  try {
    await logOut()
    close(userId)
    notify('logged-out')
  } catch (error) {
    resolve()
    notify('stayed')
    throw error
  } finally {
    channel.close()
  }
}
