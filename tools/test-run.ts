import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { isSecondTry } from './second-tries.ts'

/** How long one test file may take, in milliseconds. */
const LONGEST_FILE = 300_000

/** The numbers that node counts, by the name under which it reports them, and what passed when it was `run again`. */
export type Counts = Map<string, number>

/** Milliseconds that each test took, by its name; on both databases, the longer. */
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
 * and what each test took to `times`.
 */
export async function* testRun(
  { everyTest, ...options }: TestRun,
  counts: Counts,
  times: Times,
): AsyncGenerator<TestEvent> {
  const events = run({
    ...options,
    // Two more than there are processors: many of them wait for a page, a process or a clock.
    concurrency: availableParallelism() + 2,
    timeout: LONGEST_FILE,
  })
  for await (const event of events as AsyncIterable<TestEvent>) {
    addTime(event, times)
    const count = countIn(event)
    if (isSecondTry(event)) add(counts, 'run again', 1)
    if (count !== null) add(counts, count.name, count.value)
    else if (everyTest || isWorthTelling(event)) yield event
  }
}

/** Node's closing lines for everything that was counted. */
export function* closingCounts(counts: Counts): Generator<TestEvent> {
  for (const [name, value] of counts) {
    yield { type: 'test:diagnostic', data: { message: `${name} ${value}`, nesting: 0, level: 'info' } }
  }
}

/** The tests that took longest, at most so many. */
export function* longestTests(times: Times, most: number): Generator<TestEvent> {
  const longest = [...times].sort(([, one], [, other]) => other - one).slice(0, most)
  if (longest.length > 0) yield note('\nLongest tests:')
  for (const [name, time] of longest) yield note(`${(time / 1000).toFixed(1).padStart(7)} s  ${name}`)
}

/** A line of its own in the report. */
export function note(message: string): TestEvent {
  return { type: 'test:stdout', data: { file: '', message: `${message}\n` } }
}

function add(counts: Counts, name: string, value: number): void {
  counts.set(name, (counts.get(name) ?? 0) + value)
}

function addTime(event: TestEvent, times: Times): void {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return
  const { name, details } = event.data
  if (details.type === 'test') times.set(name, Math.max(times.get(name) ?? 0, details.duration_ms))
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
