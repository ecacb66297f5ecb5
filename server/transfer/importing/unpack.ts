import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReadEntry } from 'tar'
import { ImportError } from './import-error.ts'

/** The folder with the tables of an export. Disposing it deletes the files that were unpacked from an archive. */
type OpenExport = AsyncDisposable & { folder: string }

type Limits = { files: number; bytes: number }

/** These limits are far above the size of any export. They detect endless archives. */
const LIMITS: Limits = { files: 5_000_000, bytes: 1024 ** 4 }

/** Opens an export, which is a folder or an archive. An archive is unpacked into a new folder in `parent`. */
export async function openExport(path: string, limits = LIMITS, parent: string = tmpdir()): Promise<OpenExport> {
  if (!existsSync(path)) throw new ImportError(`${path} does not exist.`)
  if ((await stat(path)).isDirectory()) return { folder: await findTables(path), [Symbol.asyncDispose]: async () => {} }
  await using kept = new AsyncDisposableStack()
  const unpacked = await mkdtemp(join(parent, 'parley-import-'))
  kept.defer(() => rm(unpacked, { recursive: true, force: true }))
  await unpack(path, unpacked, limits)
  const folder = await findTables(unpacked)
  const held = kept.move()
  return { folder, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** Only files and folders inside `folder` are created: no links, no devices, and nothing outside. */
async function unpack(path: string, folder: string, limits: Limits): Promise<void> {
  let [files, bytes] = [0, 0]
  let problem: ImportError | null = null
  const isWanted = (name: string, entry: ReadEntry) => {
    files += 1
    bytes += entry.size
    problem ??= problemOf(name, entry, files > limits.files || bytes > limits.bytes)
    return problem === null
  }
  const { extract } = await import('tar')
  try {
    await extract({
      file: path,
      cwd: folder,
      strict: true,
      preserveOwner: false,
      chmod: false,
      noMtime: true,
      filter: (name, entry) => isWanted(name, entry as ReadEntry),
    })
  } catch (error) {
    if (error instanceof Error && 'tarCode' in error)
      throw new ImportError(`${path} is not a complete .tar.gz archive: ${error.message}`)
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (code.startsWith('Z_') || code.startsWith('TAR_'))
      throw new ImportError(`${path} is not a complete .tar.gz archive: ${(error as Error).message}`)
    throw error
  }
  if (problem !== null) throw problem
}

function problemOf(name: string, entry: ReadEntry, isTooMuch: boolean): ImportError | null {
  if (isTooMuch) return new ImportError('The archive exceeds the limits for exports.')
  if (name.startsWith('/') || name.split(/[/\\]/).includes('..'))
    return new ImportError(`The archive contains ${name}, which is outside of it.`)
  const isPlain = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory'
  return isPlain ? null : new ImportError(`The archive contains ${name}, which is neither a file nor a folder.`)
}

/** Returns the folder with realm.json: this one, or a folder in it. */
async function findTables(folder: string): Promise<string> {
  if (existsSync(join(folder, 'realm.json'))) return folder
  const entries = await readdir(folder, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const [found] = folders.filter((one) => existsSync(join(one, 'realm.json')))
  if (found === undefined) throw new ImportError(`${folder} is not an export: it contains no realm.json.`)
  return found
}
