import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { KINDS, type Kind } from './test-files.ts'

/**
 * The number of test files that share a process. Loading the server takes longer than most tests, and so does starting
 * a browser; a process with too many files ends last while the other processors are idle.
 */
const FILES_IN_BUNDLE: Readonly<Record<Kind, number>> = { browser: 13, clients: 1, hostile: 1, server: 34, unit: 64 }

/** Files that each run a process, created for one test run and removed after it. */
type Bundles = AsyncDisposable & { readonly files: readonly string[]; kindOf(file: string): Kind }

/**
 * Bundles test files of a kind into processes, in the best order to start them: the kinds take turns. If they run
 * `alone`, each file has a process.
 */
export async function bundle(root: string, testFiles: ReadonlyMap<string, Kind>, alone: boolean): Promise<Bundles> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tests-'))
  const kinds = new Map<string, Kind>()
  for (const kind of KINDS) {
    const files = [...testFiles].filter((entry) => entry[1] === kind).map(([file]) => file)
    const count = Math.ceil(files.length / (alone ? 1 : FILES_IN_BUNDLE[kind]))
    for (let number = 0; number < count; number += 1) {
      // Takes every n-th file, so that the long ones of one folder are spread.
      const members = files.filter((_, at) => at % count === number)
      const bundled = path.join(folder, `${kind}-${number}.test.mjs`)
      await writeFile(bundled, bundleText(root, members))
      kinds.set(bundled, kind)
    }
  }
  return {
    files: inTurns(KINDS.map((kind) => [...kinds.keys()].filter((file) => kinds.get(file) === kind))),
    kindOf: (file) => kinds.get(file) as Kind,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Returns a script that imports the files in turn. Its first test lasts until all of them are imported: a process with
 * the option to exit after its last test would otherwise exit while a later file is still being imported, and leave out
 * its tests. It fails if a file cannot be imported.
 */
function bundleText(root: string, files: readonly string[]): string {
  const urls = files.map((file) => JSON.stringify(pathToFileURL(path.join(root, file)).href))
  const imports = urls.map((url) => `await import(${url}).catch(imported.reject)\n`)
  return `import { test } from 'node:test'
const imported = Promise.withResolvers()
test('${files.length === 1 ? '1 test file is' : `${files.length} test files are`} imported', () => imported.promise)
${imports.join('')}imported.resolve()
`
}

/** Returns the first of each list, then the second of each, and so on. */
function inTurns(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.map((list) => list[at]))
    .flat()
    .filter((file) => file !== undefined)
}
