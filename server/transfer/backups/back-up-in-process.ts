import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'

/** The priority of the backup process, as for `nice`: the server comes first. */
const NICENESS = 10

/** Runs the backup command in a separate process, so that reading the whole copy does not delay requests. */
export async function backUpInProcess(script: string, path: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [script, 'backup', path, '--json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(complaint.trim() || `The backup ended with code ${code}`)
}
