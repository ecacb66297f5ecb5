import { importsOf, type Sources } from './source-files.ts'

/** Where tests learn which database to use. */
const DATABASE = 'test/database.ts'

/** What costs a second to load, as often as it is loaded. */
const APP = 'server/app.ts'

/** What tests in a browser begin with. */
const BROWSER = 'test/web/in-chromium.ts'

/** The test files whose path contains one of the patterns; all when there is none. */
export function testFiles(sources: Sources, patterns: readonly string[]): string[] {
  return [...sources.keys()].filter(
    (file) =>
      file.endsWith('.test.ts') && (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))),
  )
}

/** Whether a file is to be run on every database: it reaches that of the tests, and shows no pages, which are the same. */
export function runsOnEveryDatabase(sources: Sources, file: string): boolean {
  return reaches(sources, file, DATABASE) && !opensBrowser(sources, file)
}

export function opensBrowser(sources: Sources, file: string): boolean {
  return reaches(sources, file, BROWSER)
}

/** Whether a file loads the whole server. */
export function loadsApp(sources: Sources, file: string): boolean {
  return reaches(sources, file, APP)
}

function reaches(sources: Sources, file: string, wanted: string): boolean {
  const seen = new Set<string>()
  const visit = (visited: string): boolean => {
    if (visited === wanted) return true
    if (seen.has(visited)) return false
    seen.add(visited)
    return importsOf(visited, sources.get(visited) ?? '').some(({ target }) => visit(target))
  }
  return visit(file)
}
