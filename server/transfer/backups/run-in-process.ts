import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'

/** The priority of the process, as for `nice`: the server comes first. */
const NICENESS = 10

/** Runs a command of the command line in a separate process; rejects with its error output if it fails. */
export async function runInProcess(script: string, words: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [script, ...words], { stdio: ['ignore', 'ignore', 'pipe'], signal })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(complaint.trim() || `The command ${words[0]} ended with code ${code}`)
}
