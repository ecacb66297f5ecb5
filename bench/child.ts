import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpus } from 'node:os'

/** A process that measures or is measured, and answers questions over the channel to its parent. */
export type Child = AsyncDisposable & {
  /** The data with which the process reports that it is ready. */
  readonly ready: unknown
  ask(question: string, argument?: unknown): Promise<unknown>
  readonly pid: number
}

type Answer = { number: number; result?: unknown; error?: string }

const canPin = cpus().length > 1 && hasTaskset()

/** Returns a command that runs `command` on a separate core, if the machine allows it. */
export function onServerCore(command: readonly string[]): string[] {
  return canPin ? ['taskset', '-c', '0', ...command] : [...command]
}

/** Keeps this process off the core of the servers; returns false if that is impossible. */
export function leaveServerCore(): boolean {
  if (canPin) execFileSync('taskset', ['-a', '-cp', `1-${cpus().length - 1}`, String(process.pid)], { stdio: 'ignore' })
  return canPin
}

let profiling: readonly string[] = []

/** Makes every process that is started from now on write a CPU profile into `folder` when it ends. */
export function profileInto(folder: string): void {
  profiling = ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** Starts `script` on the core of the servers; resolves when it reports that it is ready. */
export async function startChild(
  script: string,
  argument: object,
  { flags = [], environment = {} }: { flags?: readonly string[]; environment?: Readonly<Record<string, string>> } = {},
): Promise<Child> {
  const [program = '', ...args] = onServerCore([
    process.execPath,
    ...flags,
    ...profiling,
    new URL(script, import.meta.url).pathname,
    JSON.stringify(argument),
  ])
  const child = spawn(program, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  })
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  const ready = Promise.withResolvers<unknown>()
  asked.set(0, ready)
  child.on('message', ({ number, result, error }: Answer) => {
    const waiting = asked.get(number)
    asked.delete(number)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(`${script}: ${error}`))
  })
  const ended = untilExit(child)
  void ended.then(() => {
    for (const { reject } of asked.values()) reject(new Error(`${script} ended early`))
  })

  let count = 0
  return {
    ready: await ready.promise,
    pid: child.pid as number,
    ask(question, given) {
      count += 1
      const waiting = Promise.withResolvers<unknown>()
      asked.set(count, waiting)
      child.send({ number: count, question, argument: given })
      return waiting.promise
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await ended
    },
  }
}

export function untilExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The answers of a process, by question. */
export type Answers = Record<string, (argument: never) => unknown>

/** Answers the parent's questions in the child process until the parent disconnects, then runs `close`. */
export function answerParent(ready: unknown, answers: Answers, close: () => Promise<void>): void {
  process.on(
    'message',
    async ({ number, question, argument }: { number: number; question: string; argument: never }) => {
      try {
        process.send?.({ number, result: await answers[question]?.(argument) })
      } catch (error) {
        process.send?.({ number, error: String((error as Error).stack) })
      }
    },
  )
  process.once('disconnect', async () => {
    await close()
    process.exit(0)
  })
  process.send?.({ number: 0, result: ready })
}

export type Usage = { cpuMicros: number; rssMb: number }

/** Returns the CPU time that this process has used so far, and its current memory. */
export function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMicros: user + system, rssMb: process.memoryUsage.rss() / 2 ** 20 }
}
