import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec, type TestEvent } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import type { Postgres } from '../test/postgres.ts'
import { changedFiles, changedTests } from './changed-tests.ts'
import { runChecks } from './check.ts'
import { buildServer, builtScript } from './server-build.mjs'
import { readSources, type Sources } from './source-files.ts'
import { bundle } from './test-bundles.ts'
import { cpuTime } from './test-cost.mjs'
import {
  alwaysRunsOnBoth,
  canRunOnBoth,
  isInBrowser,
  type Kind,
  kindOf,
  SLOW_KINDS,
  testFiles,
  usesBuiltServer,
} from './test-files.ts'
import {
  type Costs,
  type Counts,
  closingCounts,
  cpuTimes,
  longestTests,
  MAX_FILE_TIME,
  merged,
  note,
  testRun,
} from './test-run.ts'
import { buildWeb, isWebBuilt } from './web-build.mjs'

const USAGE = `npm test                        checks, all tests on SQLite, and on PostgreSQL those of what differs there
npm test -- users/ topic        the test files with one of these in their path, on both databases, without the checks
npm test -- --sqlite            only on SQLite; --postgres: only what uses the database, on PostgreSQL
npm run test:quick              checks, and the tests on SQLite that need no browser, no foreign client, no hostile run
npm run test:changed            the tests that changes since main can reach, on both databases; -- REV: changes since REV
npm run test:long               checks, and all tests in their full size on both databases

PARLEY_TEST_POSTGRES=<url> uses that PostgreSQL server instead of starting one.
`

/** The number of longest tests in the report. */
const MAX_SHOWN = 10

/**
 * The number of processes that run tests on each database. Both databases are tested at a time, and their tests start
 * browsers and servers, so more processes would only make each other wait.
 */
const CONCURRENCY = availableParallelism()

const root = path.dirname(import.meta.dirname)
const { values: chosen, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sqlite: { type: 'boolean' },
    postgres: { type: 'boolean' },
    quick: { type: 'boolean' },
    changed: { type: 'boolean' },
    long: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const onSqlite = chosen.sqlite || !chosen.postgres
const onPostgres = chosen.postgres || !(chosen.sqlite || chosen.quick)
const patterns = chosen.changed ? [] : positionals
/** True if the developer selected files: then every test is reported, and nothing else is checked. */
const isChosen = patterns.length > 0

const stop = new AbortController()
const counts: Counts = new Map()
const costs: Costs = { durations: new Map(), cpu: [] }
/** Milliseconds of CPU time by kind of work, in order of the report. */
const cpuByWork = new Map<string, number>()
/** Problems other than failed tests, each as a clause of the closing line. */
const problems: string[] = []

/** Returns the PostgreSQL server for the tests: the one that the environment names, or a separate one. */
async function openPostgres(): Promise<Pick<Postgres, 'url' | 'stop'>> {
  const url = process.env.PARLEY_TEST_POSTGRES
  if (url !== undefined) return { url, stop: async () => {} }
  const { startPostgres } = await import('../test/postgres.ts')
  return startPostgres()
}

/** Runs the files, bundled by kind; each in its own process if the developer selected them. */
async function* runFiles(
  sources: Sources,
  database: string,
  files: readonly string[],
  env: NodeJS.ProcessEnv,
): AsyncGenerator<TestEvent> {
  const maxFileTime = MAX_FILE_TIME * (chosen.long ? 4 : 1)
  const run = { cwd: root, env, everyTest: isChosen, maxFileTime, signal: stop.signal, concurrency: CONCURRENCY }
  const kinds = new Map(files.map((file) => [file, kindOf(sources, file)]))
  await using bundles = await bundle(root, kinds, isChosen)
  const cpu: Costs['cpu'] = []
  yield* testRun({ ...run, files: bundles.files }, counts, { ...costs, cpu })
  for (const { file, cpu: time } of cpu) addCpu(`${database}, ${bundles.kindOf(file)} tests`, time)
}

function addCpu(work: string, cpu: number): void {
  cpuByWork.set(work, (cpuByWork.get(work) ?? 0) + cpu)
}

async function* runOnPostgres(sources: Sources, files: readonly string[], env: NodeJS.ProcessEnv) {
  const postgres = await openPostgres().catch((error) => void console.error(error))
  if (!postgres) return void problems.push('PostgreSQL did not start')
  try {
    for await (const event of runFiles(sources, 'PostgreSQL', files, { ...env, PARLEY_TEST_POSTGRES: postgres.url })) {
      // The reporter compares the name of a failed test with that of its start.
      if (event.type === 'test:start' || event.type === 'test:pass' || event.type === 'test:fail')
        event.data.name += ' (PostgreSQL)'
      yield event
    }
  } finally {
    await postgres.stop()
  }
}

function chooseFiles(sources: Sources): string[] {
  if (chosen.changed) return changedTests(sources, changedFiles(root, positionals[0]))
  const isLeftOut = (kind: Kind) => chosen.quick === true && SLOW_KINDS.includes(kind)
  return testFiles(sources, patterns).filter((file) => !isLeftOut(kindOf(sources, file)))
}

/** Returns a number that depends on the sources alone: all runs of the same sources check the same random values. */
function seedOf(sources: Sources): string {
  return String(Number.parseInt(hash('sha256', [...sources].flat().join('\n')).slice(0, 8), 16))
}

async function* report(sources: Sources, files: readonly string[]): AsyncGenerator<TestEvent> {
  const { PARLEY_TEST_POSTGRES: _, ...own } = process.env
  const env = {
    ...own,
    // Tests of texts expect dates and numbers in English, whatever the language of the machine.
    LC_ALL: 'en_US.UTF-8',
    ...(chosen.long ? { PARLEY_TEST_LONG: '1' } : { PARLEY_TEST_SEED: own.PARLEY_TEST_SEED ?? seedOf(sources) }),
    ...(isChosen && { PARLEY_TEST_SCREENSHOTS: '1' }),
  }

  // The client and the server are built here, because the files that need them run concurrently, and each would build
  // its own. They report the reason of a failed build.
  if (files.some((file) => isInBrowser(sources, file)) && !isWebBuilt(root)) await buildWeb(root)
  if (files.some((file) => usesBuiltServer(sources, file)) && builtScript(root, 'server/main.ts') === null)
    await buildServer(root)
  const isEverything = chosen.long || chosen.postgres || chosen.changed || isChosen
  const again = files.filter((file) => canRunOnBoth(sources, file) && (isEverything || alwaysRunsOnBoth(file)))
  const runs: AsyncGenerator<TestEvent>[] = []
  if (onSqlite && files.length > 0) {
    yield note(`\nTest files on SQLite: ${files.length}`)
    runs.push(runFiles(sources, 'SQLite', files, env))
  }
  if (onPostgres && again.length > 0) {
    yield note(`\nTest files on PostgreSQL: ${again.length}`)
    runs.push(runOnPostgres(sources, again, env))
  }
  // The reporter cannot follow the starts of tests in two runs at a time.
  if (isChosen) for (const run of runs) yield* run
  else yield* merged(runs)
  yield* closingCounts(counts)
  yield* longestTests(costs, MAX_SHOWN)
  if (!isChosen) yield* cpuTimes(withRest(cpuByWork))
}

/** Adds the remaining time of this process, and the sum. */
function withRest(times: ReadonlyMap<string, number>): Map<string, number> {
  const total = cpuTime()
  const calls = [...times.values()].reduce((sum, time) => sum + time, 0)
  return new Map([...times, ['PostgreSQL itself, builds and the rest', total - calls], ['all together', total]])
}

/** Starts to install the Python clients, which takes a while the first time; the tests that need them wait for it. */
function installPythonClients(): Disposable {
  const script = path.join(root, 'test/clients/python/install.ts')
  const child = spawn(process.execPath, [script], { stdio: 'ignore', signal: stop.signal })
  child.on('error', () => {})
  return { [Symbol.dispose]: () => void child.kill() }
}

/** Runs the checks and the tests; resolves to whether all passed, which the last line reports. */
async function testEverything(): Promise<boolean> {
  const startedAt = performance.now()
  const sources = await readSources(root)
  const files = chooseFiles(sources)
  using _ = !isChosen && files.some((file) => file.startsWith('test/clients/python/')) ? installPythonClients() : null
  if (!isChosen) {
    console.log('Types, lint, imports')
    const before = cpuTime()
    if (!(await runChecks(false))) problems.push('the checks failed')
    addCpu('checks', cpuTime() - before)
  }
  await pipeline(report(sources, files), new spec(), process.stdout, { end: false })

  const tests = counts.get('tests') ?? 0
  const failed = (counts.get('fail') ?? 0) + (counts.get('cancelled') ?? 0)
  if (failed > 0) problems.push(`${failed} of ${tests} tests failed`)
  if (tests === 0 && files.length > 0) problems.push('no test was run')
  if (isChosen && files.length === 0) problems.push('no test file has that in its path')
  const verdict = problems.length > 0 ? `✖ ${problems.join(', ')}` : `✔ ${tests} tests passed`
  console.log(`\n${verdict}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return problems.length === 0
}

if (chosen.help) console.log(USAGE)
else {
  // Stops the running tests, and then PostgreSQL.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
  process.exitCode = (await testEverything()) ? 0 : 1
}
