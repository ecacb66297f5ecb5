import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** How many test files share a process. */
const FILES_IN_BUNDLE = 10

/** Files that each run a process, made for one run of the tests. */
export type Bundles = AsyncDisposable & { readonly files: readonly string[] }

/**
 * Puts test files that load the whole server together, so that some ten of them load it once: loading costs most of them
 * more than testing does.
 */
export async function bundle(root: string, testFiles: readonly string[]): Promise<Bundles> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-tests-'))
  const count = Math.ceil(testFiles.length / FILES_IN_BUNDLE)
  const files = Array.from({ length: count }, (_, number) => path.join(folder, `${number}.test.mjs`))
  for (const [number, file] of files.entries()) {
    // Every so many-th file, so that the long ones of one folder are spread.
    const members = testFiles.filter((_, at) => at % count === number)
    const lines = members.map(
      (member) => `await import(${JSON.stringify(pathToFileURL(path.join(root, member)).href)})`,
    )
    await writeFile(file, `${lines.join('\n')}\n`)
  }
  return { files, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
