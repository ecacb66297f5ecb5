import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec, type TestEvent } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { runChecks } from './check.ts'
import { readSources } from './source-files.ts'
import { testFiles, usesDatabase } from './test-files.ts'
import { type Counts, closingCounts, note, testRun } from './test-run.ts'

const USAGE = `npm test                        checks, then all tests on SQLite and on PostgreSQL
npm test -- users/ topic        only the test files with one of these in their path, without the checks
npm test -- --sqlite            only on SQLite; --postgres: only what uses the database, on PostgreSQL

PARLEY_TEST_POSTGRES=<url> uses that PostgreSQL server instead of starting one.
`

const root = path.dirname(import.meta.dirname)
const { values: chosen, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { sqlite: { type: 'boolean' }, postgres: { type: 'boolean' }, help: { type: 'boolean' } },
})
const onSqlite = chosen.sqlite || !chosen.postgres
const onPostgres = chosen.postgres || !chosen.sqlite

const stop = new AbortController()
const counts: Counts = new Map()

/** The PostgreSQL server to test on: the one that the environment names, or one of its own. */
async function openPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const url = process.env.PARLEY_TEST_POSTGRES
  if (url !== undefined) return { url, stop: async () => {} }
  const { startPostgres } = await import('../test/postgres.ts')
  return startPostgres()
}

async function* report(): AsyncGenerator<TestEvent> {
  const sources = await readSources(root)
  const files = testFiles(sources, patterns)
  const { PARLEY_TEST_POSTGRES: _, ...env } = process.env
  const run = { cwd: root, env, everyTest: patterns.length > 0, signal: stop.signal }

  if (onSqlite && files.length > 0) {
    yield note(`\nTests on SQLite: ${files.length} files`)
    yield* testRun({ ...run, files }, counts)
  }
  const again = files.filter((file) => usesDatabase(sources, file))
  if (onPostgres && again.length > 0 && !stop.signal.aborted) {
    await using cleanUp = new AsyncDisposableStack()
    const postgres = cleanUp.adopt(await openPostgres(), (server) => server.stop())
    yield note(`\nTests on PostgreSQL: ${again.length} files`)
    yield* testRun({ ...run, files: again, env: { ...env, PARLEY_TEST_POSTGRES: postgres.url } }, counts)
  }
  yield* closingCounts(counts)
}

async function main(): Promise<number> {
  const startedAt = performance.now()
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      process.exitCode = code
      stop.abort()
    })
  }

  let checked = true
  if (patterns.length === 0) {
    console.log('Types, lint, imports')
    checked = runChecks(false)
  }
  await pipeline(report, new spec(), process.stdout, { end: false })

  const failed = (counts.get('fail') ?? 0) + (counts.get('cancelled') ?? 0)
  const tests = counts.get('tests') ?? 0
  const verdicts = [
    ...(checked ? [] : ['the checks found something']),
    ...(failed > 0 ? [`${failed} of ${tests} tests failed`] : []),
    ...(tests === 0 ? ['no test was run'] : []),
  ]
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`\n${verdicts.length > 0 ? `✖ ${verdicts.join(', ')}` : `✔ all in order, ${tests} tests`}, ${seconds} s`)
  return verdicts.length > 0 ? 1 : 0
}

if (chosen.help) console.log(USAGE)
else process.exitCode = (await main()) || process.exitCode
