import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'

/** How far whoever chats goes before: as `nice` counts. */
const NICENESS = 10

/** Has the command line make a backup, as a process of its own, so that nobody waits while the copy is read through. */
export async function backUpInProcess(script: string, path: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [script, 'backup', path, '--json'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  const [[code], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
  if (code !== 0) throw new Error(complaint.trim() || `The backup ended with code ${code}`)
}
