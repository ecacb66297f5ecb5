import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReadEntry } from 'tar'
import { ImportError } from './import-error.ts'

/** The folder with the tables of an export; what was unpacked for it goes at the end. */
export type OpenExport = AsyncDisposable & { folder: string }

type Limits = { files: number; bytes: number }

/** Far more than any export has, so that an archive which never ends is noticed. */
const LIMITS: Limits = { files: 5_000_000, bytes: 1024 ** 4 }

/** Opens an export: the folder itself, or its archive, which is unpacked into `folder` or where temporary files go. */
export async function openExport(path: string, limits = LIMITS, parent: string = tmpdir()): Promise<OpenExport> {
  if (!existsSync(path)) throw new ImportError(`There is nothing at ${path}.`)
  if ((await stat(path)).isDirectory()) return { folder: await findTables(path), [Symbol.asyncDispose]: async () => {} }
  await using kept = new AsyncDisposableStack()
  const unpacked = await mkdtemp(join(parent, 'parley-import-'))
  kept.defer(() => rm(unpacked, { recursive: true, force: true }))
  await unpack(path, unpacked, limits)
  const folder = await findTables(unpacked)
  const held = kept.move()
  return { folder, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** Nothing but files and folders below `folder` comes of it: no links, no devices, nothing that leads out. */
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
      throw new ImportError(`${path} is no whole .tar.gz: ${error.message}`)
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (code.startsWith('Z_') || code.startsWith('TAR_'))
      throw new ImportError(`${path} is no whole .tar.gz: ${(error as Error).message}`)
    throw error
  }
  if (problem !== null) throw problem
}

function problemOf(name: string, entry: ReadEntry, isTooMuch: boolean): ImportError | null {
  if (isTooMuch) return new ImportError('The archive holds more than any export does.')
  if (name.startsWith('/') || name.split(/[/\\]/).includes('..'))
    return new ImportError(`The archive holds ${name}, which leads out of it.`)
  const isPlain = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory'
  return isPlain ? null : new ImportError(`The archive holds ${name}, which is neither a file nor a folder.`)
}

/** The folder that realm.json lies in: this one, or the only one in it. */
async function findTables(folder: string): Promise<string> {
  if (existsSync(join(folder, 'realm.json'))) return folder
  const entries = await readdir(folder, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const [found] = folders.filter((one) => existsSync(join(one, 'realm.json')))
  if (found === undefined) throw new ImportError(`${folder}: there is no realm.json in it, so this is no export.`)
  return found
}
