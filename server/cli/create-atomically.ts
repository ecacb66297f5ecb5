import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CliError } from './cli-context.ts'

/** What was made, and where it lies below the folder that `make` was given, or that folder itself. */
type Made<Result> = { path: string; result: Result }

/**
 * Makes what is to be at `target`, where nothing may be: `make` gets a folder beside it, and what it made there takes its
 * place when it is whole. Where it fails nothing is left. `what` is what it is called where a folder of that kind is left
 * of an earlier attempt.
 */
export async function createAtomically<Result>(
  target: string,
  what: string,
  make: (folder: string) => Promise<Made<Result>>,
): Promise<Result> {
  if (existsSync(target)) throw new CliError(`${target} is there already. Choose another name.`)
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
    throw new CliError(`${unfinished} is of ${what} that is under way, or broke off. Delete it if it broke off.`)
  }
}
