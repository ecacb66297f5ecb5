import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '../test/storage.ts'

/** Runs test files of its folder with a time limit, until it gets a signal. */
const RUNNER = `
  import { bundle } from '${new URL('test-bundles.ts', import.meta.url).href}'
  import { testRun } from '${new URL('test-run.ts', import.meta.url).href}'
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const [maxFileTime, ...sources] = process.argv.slice(2)
  const cwd = import.meta.dirname
  await using bundles = await bundle(cwd, new Map(sources.map((source) => [source, 'unit'])), false)
  const options = { cwd, maxFileTime: Number(maxFileTime), env: process.env, everyTest: true, signal: stop.signal, concurrency: 2 }
  const run = testRun({ ...options, files: bundles.files }, new Map(), { durations: new Map(), cpu: [] })
  for await (const { type, data } of run) {
    if (type === 'test:stdout') console.log(data.message)
    if (type === 'test:start') console.log('started: ' + data.name)
    if (type === 'test:fail') console.log('failed: ' + data.name)
  }
`
const ENDLESS = `
  import { writeSync } from 'node:fs'
  writeSync(1, 'begun\\n')
  for (;;);
`

/** Starts a run of test files, which are in a new folder and share a process. */
async function startRun(maxFileTime: number, files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, 'runner.mjs'), RUNNER)
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = [path.join(folder, 'runner.mjs'), `${maxFileTime}`, ...Object.keys(files)]
  return spawn(process.execPath, words, { env })
}

test('a test process in an endless loop ends when the run is stopped', async () => {
  const runner = await startRun(1_000_000, { 'endless.test.mjs': ENDLESS })
  await once(runner.stdout, 'data')

  runner.kill('SIGTERM')

  assert.deepEqual(await once(runner, 'exit'), [0, null]) // after its test process, which it waits for
})

/** The time limits of a test file, in seconds. If a busy machine does not start the process in time, the test tries the next. */
const TIME_LIMITS = [10, 60, 300]

test('a test file that takes too long is named, even if it is in an endless loop', async () => {
  let [output, limit] = ['', 0]
  for (limit of TIME_LIMITS) {
    const runner = await startRun(limit * 1000, {
      'quick.test.mjs': "import { test } from 'node:test'; test('is quick', () => {})",
      'hung.test.mjs': "import { test } from 'node:test'; test('hangs', () => { for (;;); })",
    })
    output = await text(runner.stdout)
    if (!output.includes(': import')) break
  }

  const failure = `hung.test.mjs takes longer than ${limit} s: hangs`
  assert.ok(output.includes(`started: ${failure}\nfailed: ${failure}\n`), output)
})
