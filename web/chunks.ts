type ModuleInfo = { readonly importedIds: readonly string[] }
type Context = { getModuleInfo(id: string): ModuleInfo | null }

const fileOf = (name: string) => `${import.meta.dirname}/${name}`.replaceAll('\\', '/')

/** The script that requests the initial state while the other scripts load. */
const START = [fileOf('app/start.ts')]

/** The frame of every page, and the page that opens first. */
const FRAME = ['app/main.tsx', 'inbox/inbox.tsx'].map(fileOf)

/** The pages with messages, which share nearly all of their code. */
const CHAT = ['conversation/channel.tsx', 'conversation/direct.tsx', 'conversation/feeds.tsx'].map(fileOf)

/** Packages that rarely change and that every page needs. */
const FRAMEWORK =
  /[\\/]node_modules[\\/](?:react|react-dom|scheduler|@tanstack|intl-messageformat|@formatjs|use-sync-external-store)[\\/]/

const isPackage = /[\\/]node_modules[\\/]/

/**
 * Returns a function that returns `name` as the chunk of the modules that `belongs` accepts, and null for other modules
 * and for style sheets.
 */
const named =
  (name: string, belongs: (id: string, context: Context) => boolean) =>
  (id: string, context: Context): string | null =>
    !id.endsWith('.css') && belongs(id, context) ? name : null

const isIn = (entries: readonly string[]) => (id: string, context: Context) => reachable(context, entries).has(id)

/**
 * The script files of the first view. There are few of them, and browsers cache each until its own modules change. A
 * file also contains the modules that its modules import, unless an earlier file has them. All other modules are
 * divided by the pages that need them.
 */
export const FIRST_VIEW_CHUNKS = [
  { name: named('start', isIn(START)), priority: 5 },
  { name: named('framework', (id, context) => FRAMEWORK.test(id) && isIn(FRAME)(id, context)), priority: 4 },
  { name: named('components', (id, context) => isPackage.test(id) && isIn(FRAME)(id, context)), priority: 3 },
  { name: named('app', isIn(FRAME)), priority: 2 },
  { name: named('chat', isIn(CHAT)), priority: 1 },
]

const known = new WeakMap<Context, Map<readonly string[], ReadonlySet<string>>>()

/**
 * Returns the given modules and all modules that they import statically, directly or not. Throws if a given module does
 * not exist.
 */
function reachable(context: Context, from: readonly string[]): ReadonlySet<string> {
  const results = known.get(context) ?? new Map()
  known.set(context, results)
  const found: Set<string> = results.get(from) ?? new Set(from)
  if (results.has(from)) return found
  const missing = from.find((id) => context.getModuleInfo(id) === null)
  if (missing !== undefined) throw new Error(`A chunk begins at a module that does not exist: ${missing}`)
  // The loop also reaches elements that are added to the set while it runs.
  for (const id of found) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  results.set(from, found)
  return found
}
