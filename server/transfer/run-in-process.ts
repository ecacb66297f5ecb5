import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { environmentFor, type Settings } from '#config.ts'
import { AlreadyRunning, TRY_AGAIN_LATER } from '#lib/errors.ts'
import { programArguments } from '#lib/process.ts'
import type { MakeExport } from './timed-jobs.ts'

// Runs backups and exports as commands in a process of their own, so that reading a whole installation does not delay
// the requests of users.

/** The priority of the process, as for `nice`. The server has a higher priority. */
const NICENESS = 10

/**
 * Runs a `parley` command in a separate process. Rejects with the error output if the command fails; with an
 * `AlreadyRunning` if another process does the same.
 */
async function runInProcess(
  { script, settings }: Command,
  words: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, programArguments(script, words), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentFor(settings),
    signal,
  })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code === 0) return
  const message = complaint.trim() || `The command ${words[0]} ended with code ${code}`
  throw code === TRY_AGAIN_LATER ? new AlreadyRunning(message) : new Error(message)
}

type Command = { script: string; settings: Settings }

/** Returns a function that makes a backup in a separate process, so that reading everything does not delay requests. */
export const backUpInProcess = (script: string, settings: Settings) => (signal: AbortSignal) =>
  runInProcess({ script, settings }, ['backup', '--json'], signal)

/** Returns a function that runs the export command in a separate process, so that reading everything delays no requests. */
export function exportInProcess(script: string, settings: Settings): MakeExport {
  return (path, { realm, ...part }, signal) => {
    const words =
      'userId' in part ? ['user', 'export', String(part.userId), path] : ['org', 'export', path, '--scope', part.scope]
    return runInProcess({ script, settings }, [...words, '--org', realm.subdomain, '--json'], signal)
  }
}
