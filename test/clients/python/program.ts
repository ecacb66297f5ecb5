import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

/** The time limit of a program, in milliseconds. */
const MAX_RUN_TIME = 700_000

/** The time limit of `eventually`, in milliseconds. */
const PATIENCE = 300_000

export type Ended = { code: number | null; stdout: string; stderr: string }

/** A running program. It is stopped after the tests of the file at the latest. */
export type Program = {
  /** The output so far. */
  readonly stdout: string
  readonly stderr: string
  /** Resolves when it ends by itself. */
  end(): Promise<Ended>
  /** Stops the program with SIGINT, and kills it after five seconds. */
  interrupt(): Promise<Ended>
}

type Options = { cwd: string; input?: string; env?: NodeJS.ProcessEnv }

/** Starts a Python program. `HOME` is its working directory. */
export function startProgram(command: string, args: readonly string[], { cwd, input, env }: Options): Program {
  const child = spawn(command, args, {
    cwd,
    timeout: MAX_RUN_TIME,
    killSignal: 'SIGKILL',
    env: { ...process.env, HOME: cwd, PYTHONUNBUFFERED: '1', ...env },
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (written.stdout += chunk))
  child.stderr.on('data', (chunk) => (written.stderr += chunk))
  child.stdin.end(input ?? '')
  const closed = once(child, 'close').then(([code]) => ({ code, ...written }) as Ended)
  after(() => interrupt(child, closed))
  return {
    get stdout() {
      return written.stdout
    },
    get stderr() {
      return written.stderr
    },
    end: () => closed,
    interrupt: () => interrupt(child, closed),
  }
}

async function interrupt(child: ChildProcess, closed: Promise<Ended>): Promise<Ended> {
  child.kill('SIGINT')
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  const ended = await closed
  clearTimeout(timer)
  return ended
}

/** Repeats `ask` until it returns a value. Fails with `complaint` after five minutes. */
export async function eventually<Found>(
  ask: () => Promise<Found | undefined>,
  complaint: () => string,
): Promise<Found> {
  const deadline = performance.now() + PATIENCE
  while (performance.now() < deadline) {
    const found = await ask()
    if (found !== undefined) return found
    await pause(250)
  }
  throw new Error(complaint())
}
