import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const SCRIPT = new URL('end-children.mjs', import.meta.url).href
const STARTS_ANOTHER = `
  const waits = "console.log('started'); setInterval(() => {}, 1000)"
  require('node:child_process').spawn(process.execPath, ['--eval', waits], { stdio: 'inherit' })
  setInterval(() => {}, 1000)`

test('a test process that is stopped ends the processes that it started', async () => {
  const runner = spawn(process.execPath, ['--import', SCRIPT, '--eval', STARTS_ANOTHER])
  await once(runner.stdout, 'data')

  runner.kill('SIGTERM')

  assert.deepEqual(await once(runner, 'exit'), [1, null])
  if (!runner.stdout.closed) await once(runner.stdout, 'close') // once the other process is gone, too
})
