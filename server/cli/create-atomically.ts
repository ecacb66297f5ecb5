import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from './cli-context.ts'

/** `path` is the file or folder to move to the target: the folder that `make` got, or a path inside it. */
type Made<Result> = { path: string; result: Result }

/**
 * Creates a file or folder at `target`, where nothing may exist. `make` gets a temporary folder next to the target. Its
 * result is moved to the target when it is complete. A failure leaves nothing behind. `what` describes the result in
 * the error message that appears if the temporary folder of an earlier attempt still exists.
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
