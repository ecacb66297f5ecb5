import { importsOf, type Sources } from './source-files.ts'

/** Where tests learn which database to use. */
const DATABASE = 'test/database.ts'

/** What costs a second to load, as often as it is loaded. */
const APP = 'server/app.ts'

/** The test files whose path contains one of the patterns; all when there is none. */
export function testFiles(sources: Sources, patterns: readonly string[]): string[] {
  return [...sources.keys()].filter(
    (file) =>
      file.endsWith('.test.ts') && (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern))),
  )
}

/** Whether a file uses the database of the tests, by importing what imports it. */
export function usesDatabase(sources: Sources, file: string): boolean {
  return reaches(sources, file, DATABASE)
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
