import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../test/storage.ts'

/** Runs the test file that it is given, and stops the run when it gets a signal. */
const RUNNER = `
  import { testRun } from '${new URL('test-run.ts', import.meta.url).href}'
  const stop = new AbortController()
  process.once('SIGTERM', () => stop.abort())
  const run = { cwd: process.cwd(), files: [process.argv[2]], env: process.env, everyTest: true, signal: stop.signal }
  for await (const event of testRun(run, new Map(), { durations: new Map(), cpu: [] }))
    if (event.type === 'test:stdout') console.log(event.data.message)
`
const ENDLESS = `
  import { writeSync } from 'node:fs'
  writeSync(1, 'begun\\n')
  for (;;);
`

test('a test process in an endless loop ends when the run is stopped', { timeout: 120_000 }, async () => {
  const folder = await temporaryFolder()
  const [script, file] = [path.join(folder, 'runner.mjs'), path.join(folder, 'endless.test.mjs')]
  await writeFile(script, RUNNER)
  await writeFile(file, ENDLESS)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const runner = spawn(process.execPath, [script, file], { env })
  await once(runner.stdout, 'data')

  runner.kill('SIGTERM')

  assert.deepEqual(await once(runner, 'exit'), [0, null]) // after its test process, which it waits for
})
