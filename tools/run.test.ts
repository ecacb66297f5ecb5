import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { hashOf } from './vite-build.mjs'

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

/** Stands in for npm: it records its options for packages and what it was asked to install. */
const NPM = `
  const { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } = require('node:fs')
  const options = process.argv.filter((word) => /dev|workspaces/.test(word))
  appendFileSync('npm.log', options.join(' ') + '\\n')
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  if (options.includes('--omit=dev')) delete packages['node_modules/vite']
  if (options.includes('--workspaces=false')) delete packages['node_modules/typescript']
  mkdirSync('node_modules', { recursive: true })
  if (!existsSync('node_modules/node')) symlinkSync(process.env.NODE_PACKAGE, 'node_modules/node')
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

test('the launcher installs what the script needs and no more, and keeps what a developer has', async (t) => {
  const root = await mkdtemp(path.join(tmpdir(), 'parley-run-'))
  t.after(() => rm(root, { recursive: true }))
  await cp(import.meta.dirname, path.join(root, 'tools'), { recursive: true })
  const packages = {
    '': { devDependencies: { vite: '1.0.0' } },
    'node_modules/kysely': { version: '1.0.0' },
    'node_modules/vite': { version: '1.0.0', dev: true },
    'node_modules/typescript': { version: '1.0.0', dev: true },
    'node_modules/parley-development': { link: true },
  }
  const lock = (version: string) =>
    writeFile(
      path.join(root, 'package-lock.json'),
      JSON.stringify({ packages: { ...packages, 'node_modules/kysely': { version } } }),
    )
  await lock('1.0.0')
  await mkdir(path.join(root, 'server'))
  for (const name of ['tools/build.ts', 'tools/test.ts']) await writeFile(path.join(root, name), "console.log('ran')")
  await writeFile(path.join(root, 'npm-cli.cjs'), NPM)
  const built = path.join(root, 'server/dist', hashOf(root, 'server').slice(0, 16))
  await mkdir(built, { recursive: true })
  await writeFile(path.join(built, 'cli.js'), "console.log('ran')")
  const env = {
    ...byItself,
    npm_execpath: path.join(root, 'npm-cli.cjs'),
    NODE_PACKAGE: path.join(import.meta.dirname, '../node_modules/node'),
  }
  const run = async (script: string) => {
    const launcher = spawn(process.execPath, [path.join(root, 'tools/run.mjs'), script], { env })
    const output: string[] = []
    launcher.stdout.setEncoding('utf8').on('data', (text) => output.push(text))
    assert.deepEqual([await once(launcher, 'close'), output.join('')], [[0, null], 'ran\n'])
  }

  for (const script of ['server/cli.ts', 'tools/build.ts', 'server/cli.ts', 'tools/test.ts', 'tools/build.ts'])
    await run(script)
  await lock('1.0.1')
  await run('tools/build.ts')

  assert.deepEqual((await readFile(path.join(root, 'npm.log'), 'utf8')).trim().split('\n'), [
    '--omit=dev --workspaces=false',
    '--include=dev --workspaces=false',
    '--include=dev',
    '--include=dev',
  ])
})
