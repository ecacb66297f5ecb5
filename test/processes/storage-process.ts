import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

type StorageProcess = {
  readonly pid: number | undefined
  /** Ends the process like a crash, and returns the numbers that were acknowledged as durable. */
  kill(): Promise<number[]>
}

/** Starts storage-writer.ts, a process that serves the database and has committed when this resolves. */
export async function startStorageProcess(url: string, start: number): Promise<StorageProcess> {
  const script = new URL('./storage-writer.ts', import.meta.url).pathname
  const writer = spawn(process.execPath, [script, url, String(start)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  writer.stdout.on('data', (text) => {
    said += text
  })
  await Promise.race([once(writer.stdout, 'data'), failure(writer)])
  return {
    pid: writer.pid,
    async kill() {
      const closed = once(writer, 'close')
      writer.kill('SIGKILL')
      await closed
      return said.split('\n').slice(0, -1).map(Number)
    },
  }
}

async function failure(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`The process ended by itself, with code ${code}`)
}
