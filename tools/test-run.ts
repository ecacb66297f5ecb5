import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { setTimeout as sleep } from 'node:timers/promises'

/** The time limit of a test file in milliseconds, for tests that hang, even on a busy machine. */
export const MAX_FILE_TIME = 900_000

/** The time in which a stopped test process must end, in milliseconds. */
const MAX_ENDING_TIME = 5000

/** The numbers that node counts, by the name under which it reports them. */
export type Counts = Map<string, number>

/**
 * The costs of tests, in milliseconds: the duration of each test by its name, and the CPU time of each file's process.
 */
export type Costs = { durations: Map<string, number>; cpu: { file: string; cpu: number }[] }

type TestRun = {
  cwd: string
  /** The files that are run, each in its process, with the test files that it imports in this order. */
  files: ReadonlyMap<string, readonly string[]>
  /** The time limit of each test file, in milliseconds. Its process ends when a file takes longer. */
  maxFileTime: number
  env: NodeJS.ProcessEnv
  /** Reports every test, not only those that failed or were skipped. */
  everyTest: boolean
  signal: AbortSignal
  /** The number of processes that run at a time. */
  concurrency: number
}

const importing = (script: string) => ['--import', new URL(`./${script}.mjs`, import.meta.url).href]

/** Runs test files and yields what to report; adds node's counts and what the tests cost. */
export async function* testRun(
  { everyTest, env, files, maxFileTime, ...options }: TestRun,
  counts: Counts,
  costs: Costs,
): AsyncGenerator<TestEvent> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-cost-'))
  const costFile = path.join(folder, 'cost')
  await using processes = followTestProcesses({ cwd: options.cwd, files, maxFileTime })
  const events = run({
    ...options,
    files: [...files.keys()],
    env: { ...env, PARLEY_TEST_COST: costFile },
    // A failed test may leave resources open that would prevent its process from ending.
    execArgv: ['--test-force-exit', ...importing('end-children'), ...importing('test-cost')],
  })
  for await (const event of events as AsyncIterable<TestEvent>) {
    processes.note(event)
    addDuration(event, costs)
    const count = countIn(event)
    if (count !== null) counts.set(count.name, (counts.get(count.name) ?? 0) + count.value)
    // A summary would make the reporter list the failures of this run before other runs have ended.
    else if (event.type !== 'test:summary' && (everyTest || isWorthReporting(event))) yield event
  }
  for (const late of processes.late()) yield note(late)
  // Processes started by a test write a line as well; their time is included in that of the test.
  costs.cpu.push(...(await readCosts(costFile)).filter(({ file }) => files.has(file)))
  await rm(folder, { recursive: true, force: true })
}

/** The title under which a process imports its test files. */
const IMPORT = 'import'

/** A process and the test that it runs. It runs many test files, and the name of its own file says nothing about them. */
type TestProcess = { readonly child: ChildProcess; source: string; since: number; title: string; isLate: boolean }

/**
 * Follows the test processes that start from now on, and ends those whose current test file takes longer than
 * `maxFileTime`. The caller passes it all events. When it is disposed, it kills the processes that still run: one in an
 * endless loop does not end by itself when the test runner stops it.
 */
function followTestProcesses({ cwd, files, maxFileTime }: Pick<TestRun, 'cwd' | 'files' | 'maxFileTime'>) {
  const fileOf = new Map([...files].flatMap(([file, sources]) => sources.map((source) => [source, file])))
  const processes = new Map<string, TestProcess>()
  const children = new Set<ChildProcess>()
  const begin = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process
    child.once('spawn', () => {
      // This process also starts PostgreSQL and the tests on the other database.
      const file = child.spawnargs.find((word) => files.has(word))
      if (file === undefined) return
      children.add(child)
      child.once('exit', () => children.delete(child))
      const [source = ''] = files.get(file) ?? []
      processes.set(file, { child, source, since: performance.now(), title: IMPORT, isLate: false })
    })
  }
  const timer = setInterval(() => {
    for (const process of processes.values()) {
      const { child, since } = process
      if (!children.has(child) || performance.now() - since < maxFileTime) continue
      // The first signal lets it end the servers and browsers that it started; an endless loop does not notice it.
      child.kill(process.isLate ? 'SIGKILL' : 'SIGTERM')
      Object.assign(process, { isLate: true, since: since + MAX_ENDING_TIME })
    }
  }, 500)
  // https://nodejs.org/api/diagnostics_channel.html#child-process
  subscribe('child_process', begin)

  return {
    /** Returns what to report about processes that took too long. Node does not, if another test of theirs has failed. */
    late: () =>
      Array.from(processes.values())
        .filter(({ isLate }) => isLate)
        .map(({ source, title }) => `✖ ${source} took longer than ${maxFileTime / 1000} s and was ended: ${title}`),
    /**
     * Notes which test a process runs. In the events that a process has failed, the test file replaces its name. The
     * reporter expects one name in both.
     */
    note({ type, data }: TestEvent): void {
      if (type === 'test:enqueue' || type === 'test:dequeue') {
        const source = path.relative(cwd, data.file ?? '')
        const process = processes.get(fileOf.get(source) ?? '')
        if (process === undefined) return
        if (process.source !== source) Object.assign(process, { source, since: performance.now() })
        process.title = type === 'test:enqueue' ? IMPORT : data.name
      } else if (type === 'test:start' || type === 'test:fail') {
        const process = processes.get(data.name)
        // A file that cannot be imported is not necessarily the one whose tests were found last.
        if (process === undefined || (process.title === IMPORT && !process.isLate)) return
        const { source, title, isLate } = process
        data.name = isLate ? `${source} takes longer than ${maxFileTime / 1000} s: ${title}` : `${source}: ${title}`
        data.file = path.join(cwd, source)
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      unsubscribe('child_process', begin)
      if (children.size > 0) await sleep(MAX_ENDING_TIME)
      for (const child of children) child.kill('SIGKILL')
    },
  }
}

/** Yields what the generators yield, as soon as it comes. */
export async function* merged<Item>(generators: readonly AsyncGenerator<Item>[]): AsyncGenerator<Item> {
  const next = (generator: AsyncGenerator<Item>) => generator.next().then((result) => ({ generator, result }))
  const pending = new Map(generators.map((generator) => [generator, next(generator)]))
  try {
    while (pending.size > 0) {
      const { generator, result } = await Promise.race(pending.values())
      if (result.done) pending.delete(generator)
      else {
        pending.set(generator, next(generator))
        yield result.value
      }
    }
  } finally {
    await Promise.allSettled(Array.from(pending.keys(), (generator) => generator.return(undefined)))
  }
}

/** Yields Node's closing lines for everything that was counted. */
export function* closingCounts(counts: Counts): Generator<TestEvent> {
  for (const [name, value] of counts) {
    if (name === 'duration_ms') continue // of both databases together
    yield { type: 'test:diagnostic', data: { message: `${name} ${value}`, nesting: 0, level: 'info' } }
  }
}

/** Yields the tests that took longest, at most `max`. */
export function* longestTests({ durations }: Costs, max: number): Generator<TestEvent> {
  const longest = [...durations].sort(([, one], [, other]) => other - one).slice(0, max)
  if (longest.length > 0) yield note('\nLongest tests:')
  for (const [name, duration] of longest) yield note(inSeconds(duration, name))
}

/** Yields the CPU time of each kind of work, in milliseconds. */
export function* cpuTimes(times: ReadonlyMap<string, number>): Generator<TestEvent> {
  yield note('\nCPU time:')
  for (const [name, time] of times) yield note(inSeconds(time, name))
}

/** Returns a separate line of the report. */
export function note(message: string): TestEvent {
  return { type: 'test:stdout', data: { file: '', message: `${message}\n` } }
}

const inSeconds = (milliseconds: number, name: string) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}`

async function readCosts(file: string): Promise<Costs['cpu']> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { file: string; cpu: number })
}

function addDuration({ type, data }: TestEvent, { durations }: Costs): void {
  if (type !== 'test:pass' && type !== 'test:fail') return
  const { name, details } = data
  if (details.type === 'test') durations.set(name, Math.max(durations.get(name) ?? 0, details.duration_ms))
}

function countIn(event: TestEvent): { name: string; value: number } | null {
  if (event.type !== 'test:diagnostic' || event.data.nesting !== 0) return null
  const match = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/.exec(event.data.message)
  return match === null ? null : { name: match[1]!, value: Number(match[2]) }
}

function isWorthReporting(event: TestEvent): boolean {
  if (event.type === 'test:start') return false
  return event.type !== 'test:pass' || Boolean(event.data.skip ?? event.data.todo)
}
