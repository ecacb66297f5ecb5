import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'

const { npm_lifecycle_event: _, ...byItself } = process.env
const byNpm = { ...byItself, npm_lifecycle_event: 'start' }

/** Starts the launcher with a script of one line; `output` collects the output of both. */
async function launch(t: TestContext, script: string, args: string[] = [], env: NodeJS.ProcessEnv = byNpm) {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-run-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'script.ts')
  await writeFile(file, script)

  const launcher = spawn(process.execPath, [path.join(import.meta.dirname, 'run.mjs'), file, ...args], { env })
  t.after(() => launcher.kill('SIGKILL'))
  let output = ''
  launcher.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  // The event comes only after the script has exited too, because it holds the pipe.
  const closed = once(launcher, 'close')
  return { launcher, closed, output: () => output }
}

const SERVER = `
  process.once('SIGTERM', () => { console.log('stopping'); setTimeout(process.exit, 50, 7) })
  setInterval(() => {}, 1000)
  console.log('up')
`

test('a script gets its arguments and the pinned Node, and its exit code becomes that of the launcher', async (t) => {
  const script = 'const code: number = 3; console.log(process.version, process.argv.slice(2)); process.exit(code)'
  const { closed, output } = await launch(t, script, ['a', 'b c'])

  const [code] = await closed

  assert.equal(code, 3)
  assert.match(output(), /^v24\..* \[ 'a', 'b c' \]\n$/)
})

test('a signal to the launcher reaches the script, which ends in its own time and with its own code', async (t) => {
  const { launcher, closed, output } = await launch(t, SERVER)
  await once(launcher.stdout, 'data')

  launcher.kill('SIGTERM')

  assert.deepEqual(await closed, [7, null])
  assert.equal(output(), 'up\nstopping\n')
})

test('a script that was ended by a signal makes the launcher end by the same signal', async (t) => {
  const { closed } = await launch(t, "process.kill(process.pid, 'SIGKILL')")

  assert.deepEqual(await closed, [null, 'SIGKILL'])
})

test('a script stops when its launcher is killed', async (t) => {
  const { launcher, closed, output } = await launch(t, SERVER)
  await once(launcher.stdout, 'data')

  launcher.kill('SIGKILL')

  await closed
  assert.equal(output(), 'up\nstopping\n')
})

test('without npm the script replaces the launcher', async (t) => {
  const script = 'console.log(process.pid, process.version, process.argv.slice(2)); process.exit(4)'
  const { launcher, closed, output } = await launch(t, script, ['a', 'b c'], byItself)

  assert.deepEqual(await closed, [4, null])
  assert.equal(output(), `${launcher.pid} ${process.version} [ 'a', 'b c' ]\n`)
})
