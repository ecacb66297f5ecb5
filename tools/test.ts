import { spawn } from 'node:child_process'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec, type TestEvent } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import type { Postgres } from '../test/postgres.ts'
import { runChecks } from './check.ts'
import { twice } from './second-tries.ts'
import { readSources, type Sources } from './source-files.ts'
import { bundle } from './test-bundles.ts'
import { loadsApp, opensBrowser, runsOnEveryDatabase, testFiles } from './test-files.ts'
import { type Counts, closingCounts, longestTests, note, type TestRun, type Times, testRun } from './test-run.ts'
import { buildWeb, isWebBuilt } from './web-build.mjs'

const USAGE = `npm test                        checks, then all tests on SQLite and on PostgreSQL
npm test -- users/ topic        only the test files with one of these in their path, without the checks
npm test -- --sqlite            only on SQLite; --postgres: only what uses the database, on PostgreSQL
npm test -- --once              all tests, without a second attempt for those in a browser

PARLEY_TEST_POSTGRES=<url> uses that PostgreSQL server instead of starting one.
`

/** How many of the tests that took longest are told, so that a slow one is seen when it comes. */
const LONGEST_TOLD = 10

const root = path.dirname(import.meta.dirname)
const { values: chosen, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    sqlite: { type: 'boolean' },
    postgres: { type: 'boolean' },
    once: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const onSqlite = chosen.sqlite || !chosen.postgres
const onPostgres = chosen.postgres || !chosen.sqlite

const stop = new AbortController()
const counts: Counts = new Map()
const times: Times = new Map()
/** What went wrong apart from failed tests, each as a clause of the closing line. */
const troubles: string[] = []

/** The PostgreSQL server to test on: the one that the environment names, or one of its own. */
async function openPostgres(): Promise<Pick<Postgres, 'url' | 'stop'>> {
  const url = process.env.PARLEY_TEST_POSTGRES
  if (url !== undefined) return { url, stop: async () => {} }
  const { startPostgres } = await import('../test/postgres.ts')
  return startPostgres()
}

/**
 * Runs the files, those that load the whole server in bundles; each by itself where every test is told. What takes long
 * begins first, and browsers beside what needs none.
 */
async function* runBundled(sources: Sources, run: TestRun): AsyncGenerator<TestEvent> {
  if (run.everyTest) return yield* testRun(run, counts, times)
  const kindOf = (file: string) =>
    opensBrowser(sources, file) ? 'pages' : loadsApp(sources, file) ? 'heavy' : ('light' as const)
  const { pages = [], heavy = [], light = [] } = Object.groupBy(run.files, kindOf)
  await using bundles = await bundle(root, heavy)
  yield* testRun({ ...run, files: [...inTurns(pages, bundles.files), ...light] }, counts, times)
}

/** One of these, one of the others, and so on. */
function inTurns(some: readonly string[], others: readonly string[]): string[] {
  const turns = Array.from({ length: Math.max(some.length, others.length) }, (_, at) => [some[at], others[at]])
  return turns.flat().filter((file) => file !== undefined)
}

async function* testsOn(
  postgres: Pick<Postgres, 'url' | 'stop'>,
  sources: Sources,
  run: TestRun,
): AsyncGenerator<TestEvent> {
  try {
    yield* runBundled(sources, { ...run, env: { ...run.env, PARLEY_TEST_POSTGRES: postgres.url } })
  } finally {
    await postgres.stop()
  }
}

async function* report(): AsyncGenerator<TestEvent> {
  const sources = await readSources(root)
  const files = testFiles(sources, patterns)
  const { PARLEY_TEST_POSTGRES: _, ...own } = process.env
  const everyTest = patterns.length > 0
  const env = everyTest || chosen.once ? own : { ...own, ...twice }
  const run = { cwd: root, env, everyTest, signal: stop.signal }

  // Here, as the files that need it run side by side. What a failed build says they report.
  if (files.some((file) => opensBrowser(sources, file)) && !isWebBuilt(root)) await buildWeb(root)
  if (onSqlite && files.length > 0) {
    yield note(`\nTest files on SQLite: ${files.length}`)
    yield* runBundled(sources, { ...run, files })
  }
  const again = files.filter((file) => runsOnEveryDatabase(sources, file))
  if (onPostgres && again.length > 0 && !stop.signal.aborted) {
    yield note(`\nTest files on PostgreSQL: ${again.length}`)
    const postgres = await openPostgres().catch((error) => void console.error(error))
    if (postgres) yield* testsOn(postgres, sources, { ...run, files: again })
    else troubles.push('PostgreSQL did not start')
  }
  yield* closingCounts(counts)
  yield* longestTests(times, LONGEST_TOLD)
}

/** Begins to install the Python clients, which takes a while the first time; the tests that need them wait for it. */
function installPythonClients(): Disposable {
  const script = path.join(root, 'test/clients/python/install.ts')
  const child = spawn(process.execPath, [script], { stdio: 'ignore', signal: stop.signal })
  child.on('error', () => {})
  return { [Symbol.dispose]: () => void child.kill() }
}

/** Whether all is in order, as the last line says. */
async function testEverything(): Promise<boolean> {
  const startedAt = performance.now()
  using _ = patterns.length === 0 && onSqlite ? installPythonClients() : null
  if (patterns.length === 0) {
    console.log('Types, lint, imports')
    if (!(await runChecks(false))) troubles.push('the checks found something')
  }
  await pipeline(report, new spec(), process.stdout, { end: false })

  const tests = counts.get('tests') ?? 0
  const failed = (counts.get('fail') ?? 0) + (counts.get('cancelled') ?? 0)
  if (failed > 0) troubles.push(`${failed} of ${tests} tests failed`)
  if (tests === 0) troubles.push('no test was run')
  const again = counts.get('run again') ?? 0
  const passed = again === 0 ? `${tests} tests` : `${tests} tests, ${again} of them only when run again`
  const verdict = troubles.length > 0 ? `✖ ${troubles.join(', ')}` : `✔ all in order, ${passed}`
  console.log(`\n${verdict}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return troubles.length === 0
}

if (chosen.help) console.log(USAGE)
else {
  // Stops the test under way, and PostgreSQL after it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
  process.exitCode = (await testEverything()) ? 0 : 1
}
