import { importsOf, type Sources } from './source-files.ts'
import { TESTS_ON_BOTH_DATABASES } from './tests-on-both-databases.ts'

/** A test that imports this file uses the database that the run chose. */
const DATABASE = 'test/database.ts'

/** A test that imports this file loads the whole server, which takes a second. */
const APP = 'server/app.ts'

/** A test that imports this file opens a browser. */
const BROWSER = 'test/web/in-chromium.ts'

/** A test that imports this file starts the built server in a process of its own. */
const BUILT_SERVER = 'test/processes/built-server.ts'

/** A test that imports this file checks dozens of screens, which takes minutes. */
const SCREENS = 'test/web/screens/test-screens.ts'

/**
 * The kinds of test files, from the slowest to the fastest: `screens` checks screens, `browser` drives the web client, `clients` runs foreign
 * software, `hostile` sends random and malicious requests, `server` loads the whole server, and `unit` loads what it
 * tests.
 */
export const KINDS = ['screens', 'browser', 'clients', 'hostile', 'server', 'unit'] as const
export type Kind = (typeof KINDS)[number]

/** The kinds that a quick run leaves out. */
export const SLOW_KINDS: readonly Kind[] = ['screens', 'browser', 'clients', 'hostile']

/** Returns the test files whose path contains one of the patterns; all of them if there is no pattern. */
export function testFiles(sources: Sources, patterns: readonly string[]): string[] {
  return [...sources.keys()].filter(
    (file) =>
      file.endsWith('.test.ts') && (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))),
  )
}

export function kindOf(sources: Sources, file: string): Kind {
  if (reaches(sources, file, SCREENS)) return 'screens'
  if (isInBrowser(sources, file)) return 'browser'
  if (file.startsWith('test/clients/')) return 'clients'
  if (file.startsWith('test/hostile/')) return 'hostile'
  return reaches(sources, file, APP) ? 'server' : 'unit'
}

/** Returns whether a test file needs a browser and the built web client. */
export const isInBrowser = (sources: Sources, file: string): boolean => reaches(sources, file, BROWSER)

/** Returns whether a test file needs the built server. */
export const usesBuiltServer = (sources: Sources, file: string): boolean => reaches(sources, file, BUILT_SERVER)

/**
 * Returns whether a test file can run on each database: it uses the database of the run, and does not test pages, which
 * do not depend on it.
 */
export function canRunOnBoth(sources: Sources, file: string): boolean {
  return reaches(sources, file, DATABASE) && !isInBrowser(sources, file)
}

/** Returns whether a test file runs on PostgreSQL in every run, rather than only in a long one. */
export function alwaysRunsOnBoth(file: string): boolean {
  return TESTS_ON_BOTH_DATABASES.some(({ paths }) => paths.some((path) => file.startsWith(path)))
}

/**
 * Returns whether a file imports `wanted`, directly or indirectly, without passing through one of the files in
 * `except`.
 */
export function reaches(sources: Sources, file: string, wanted: string, except: readonly string[] = []): boolean {
  const seen = new Set<string>(except)
  const visit = (visited: string): boolean => {
    if (visited === wanted) return true
    if (seen.has(visited)) return false
    seen.add(visited)
    return targetsOf(sources, visited).some(visit)
  }
  return visit(file)
}

/** The imports of each file, read once. */
const targets = new WeakMap<Sources, Map<string, readonly string[]>>()

function targetsOf(sources: Sources, file: string): readonly string[] {
  const calls = targets.get(sources) ?? new Map<string, readonly string[]>()
  targets.set(sources, calls)
  const found = calls.get(file) ?? importsOf(file, sources.get(file) ?? '').map(({ target }) => target)
  calls.set(file, found)
  return found
}
