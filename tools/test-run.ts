import { availableParallelism } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'

/** How long one test file may take, in milliseconds. */
const LONGEST_FILE = 300_000

/** The numbers that node counts, by the name under which it reports them. */
export type Counts = Map<string, number>

/** Milliseconds that the tests of a file took, together. */
export type Times = Map<string, number>

export type TestRun = {
  cwd: string
  files: readonly string[]
  env: NodeJS.ProcessEnv
  /** Tells of every test; otherwise only of those that failed or were skipped. */
  everyTest: boolean
  signal: AbortSignal
}

/**
 * Runs test files, two or more at a time, and yields what to report; node's closing counts are added to `counts` instead,
 * and what each file took to `times`.
 */
export async function* testRun(
  { everyTest, ...options }: TestRun,
  counts: Counts,
  times: Times,
): AsyncGenerator<TestEvent> {
  const events = run({
    ...options,
    concurrency: Math.max(2, availableParallelism()),
    timeout: LONGEST_FILE,
  })
  for await (const event of events as AsyncIterable<TestEvent>) {
    addTime(event, times)
    const count = countIn(event)
    if (count !== null) counts.set(count.name, (counts.get(count.name) ?? 0) + count.value)
    else if (everyTest || isWorthTelling(event)) yield event
  }
}

/** Node's closing lines for everything that was counted. */
export function* closingCounts(counts: Counts): Generator<TestEvent> {
  for (const [name, value] of counts) {
    yield { type: 'test:diagnostic', data: { message: `${name} ${value}`, nesting: 0, level: 'info' } }
  }
}

/** The files that took longest, at most so many. */
export function* longestFiles(root: string, times: Times, most: number): Generator<TestEvent> {
  const longest = [...times].sort(([, one], [, other]) => other - one).slice(0, most)
  if (longest.length > 0) yield note('\nLongest files:')
  for (const [file, time] of longest)
    yield note(`${(time / 1000).toFixed(1).padStart(7)} s  ${path.relative(root, file)}`)
}

/** A line of its own in the report. */
export function note(message: string): TestEvent {
  return { type: 'test:stdout', data: { file: '', message: `${message}\n` } }
}

function addTime(event: TestEvent, times: Times): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return
  const { file, nesting, details } = event.data
  if (nesting === 0 && file !== undefined) times.set(file, (times.get(file) ?? 0) + details.duration_ms)
}

function countIn(event: TestEvent): { name: string; value: number } | null {
  if (event.type !== 'test:diagnostic' || event.data.nesting !== 0) return null
  const match = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/.exec(event.data.message)
  return match === null ? null : { name: match[1]!, value: Number(match[2]) }
}

function isWorthTelling(event: TestEvent): boolean {
  if (event.type === 'test:start') return false
  return event.type !== 'test:pass' || Boolean(event.data.skip ?? event.data.todo)
}
