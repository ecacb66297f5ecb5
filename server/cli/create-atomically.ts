import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from './cli-context.ts'

/** The created file or folder: its path below the folder that `make` was given, or that folder itself. */
type Made<Result> = { path: string; result: Result }

/**
 * Creates a file or folder at `target`, where nothing may exist. `make` gets a temporary folder beside it, and the
 * result is moved into place when it is complete. Nothing is left after a failure. `what` is the name used in the
 * message if an earlier attempt left its temporary folder.
 */
export async function createAtomically<Result>(
  target: string,
  what: string,
  make: (folder: string) => Promise<Made<Result>>,
): Promise<Result> {
  if (existsSync(target)) throw new CliError(`${target} already exists. Choose another name.`)
  const unfinished = `${target}.unfinished`
  await mkdir(dirname(target), { recursive: true })
  await makeFolder(unfinished, what)
  try {
    const { path, result } = await make(unfinished)
    await rename(path, target)
    return result
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function makeFolder(unfinished: string, what: string): Promise<void> {
  try {
    await mkdir(unfinished, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CliError(
      `${unfinished} belongs to ${what} that is running or was interrupted. Delete it if it was interrupted.`,
    )
  }
}
