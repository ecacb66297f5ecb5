import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { builtServer } from '../test/processes/built-server.ts'
import { serverEnvironment, serverFlags } from '../tools/server-flags.mjs'
import { onServerCore, untilExit } from './child.ts'
import type { DataLocation } from './disk.ts'
import { ask } from './drive.ts'
import type { Population, Size } from './populate.ts'
import { startServerAt } from './servers.ts'

/** The server as it runs in production, in its own process, measured from the outside only. */
type LaunchedServer = AsyncDisposable & {
  readonly port: number
  /** Returns the milliseconds from the start to the first response. */
  untilAnswers(request: Buffer): Promise<number>
  /** Returns the current memory of the process in MiB. */
  residentMb(): Promise<number>
}

/**
 * Creates and populates a database in another process, because populating one leaves memory behind that must not be
 * measured.
 */
export async function makeDatabase(
  location: DataLocation,
  size: Size,
  environment?: Readonly<Record<string, string>>,
): Promise<Population> {
  await using server = await startServerAt(location, size, environment)
  const { people, channels, messageIds, queueIds } = server
  return { people, channels, messageIds, queueIds }
}

/** Starts the server like `npm start`, but without npm. */
export async function launch({ folder, databaseUrl }: DataLocation): Promise<LaunchedServer> {
  const port = await freePort()
  const startedAt = performance.now()
  const [program = '', ...args] = onServerCore([process.execPath, ...serverFlags, await builtServer('server/main.ts')])
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...serverEnvironment,
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PORT: String(port),
    },
  })
  return {
    port,
    residentMb: () => residentMb(child.pid as number),
    async untilAnswers(request) {
      for (;;) {
        const answer = await ask(port, request).catch(() => null)
        if (answer?.status === 200) return performance.now() - startedAt
        if (child.exitCode !== null) throw new Error('The server did not start')
        await sleep(2)
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = untilExit(child)
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer()
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}
