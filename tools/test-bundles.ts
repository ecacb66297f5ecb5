import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { KINDS, type Kind } from './test-files.ts'

/**
 * The number of test files that share a process. Loading the server takes longer than most tests, and so does starting
 * a browser; a process with too many files ends last while the other processors are idle.
 */
const FILES_IN_BUNDLE: Readonly<Record<Kind, number>> = {
  screens: 1,
  browser: 13,
  clients: 1,
  hostile: 1,
  server: 34,
  unit: 32,
}

/** Files that each run a process, created for one test run and removed after it. */
type Bundles = AsyncDisposable & {
  /** The files, each with the test files that it imports in this order. */
  readonly files: ReadonlyMap<string, readonly string[]>
  kindOf(file: string): Kind
}

/**
 * Bundles test files of a kind into processes, in the best order to start them: the kinds take turns. If they run
 * `alone`, each file has a process.
 */
export async function bundle(root: string, testFiles: ReadonlyMap<string, Kind>, alone: boolean): Promise<Bundles> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tests-'))
  const lists = KINDS.map((kind) => {
    const files = [...testFiles].filter((entry) => entry[1] === kind).map(([file]) => file)
    const count = Math.ceil(files.length / (alone ? 1 : FILES_IN_BUNDLE[kind]))
    return Array.from({ length: count }, (_, number) => ({
      file: path.join(folder, `${kind}-${number}.test.mjs`),
      // Takes every n-th file, so that the long ones of one folder are spread.
      members: files.filter((_, at) => at % count === number),
    }))
  })
  const bundles = inTurns(lists)
  for (const { file, members } of bundles) await writeFile(file, bundleText(root, members))
  return {
    files: new Map(bundles.map(({ file, members }) => [file, members])),
    kindOf: (file) => KINDS[lists.findIndex((list) => list.some((one) => one.file === file))] as Kind,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Returns a script that imports the files in turn. Before each test, the runner gets its name, which it could not get
 * from an endless loop. The first test lasts until all of them are imported: a process with
 * the option to exit after its last test would otherwise exit while a later file is still being imported, and leave out
 * its tests. It fails if a file cannot be imported.
 */
function bundleText(root: string, files: readonly string[]): string {
  const urls = files.map((file) => JSON.stringify(pathToFileURL(path.join(root, file)).href))
  const imports = urls.map((url) => `await import(${url}).catch(imported.reject)\n`)
  return `import { beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
beforeEach(() => setImmediate())
const imported = Promise.withResolvers()
test('${files.length === 1 ? '1 test file is' : `${files.length} test files are`} imported', () => imported.promise)
${imports.join('')}imported.resolve()
`
}

/** Returns the first of each list, then the second of each, and so on. */
function inTurns<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.map((list) => list[at]))
    .flat()
    .filter((item) => item !== undefined)
}
