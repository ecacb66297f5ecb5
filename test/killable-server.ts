import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after } from 'node:test'

export type KillableServer = {
  url: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

/** Starts the server as a process of its own, on the SQLite file of the folder. */
export async function startKillableServer(folder: string): Promise<KillableServer> {
  const script = path.resolve(import.meta.dirname, '../server/main.ts')
  const env = {
    ...process.env,
    ...{ DATABASE_URL: path.join(folder, 'parley.db'), DATA_DIR: folder, PORT: '0', RATE_LIMITING: 'false' },
  }
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const closed = once(child, 'close')
  after(() => child.kill('SIGKILL'))
  let said = ''
  while (!said.includes('\n')) said += String((await once(child.stdout, 'data'))[0])
  const url = /http:\/\/\S+/.exec(said)?.[0]
  if (url === undefined) throw new Error(`The server said ${said}`)
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
