import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { THREADS } from '../server/vite.config.ts'
import { buildServer, builtScript } from './server-build.mjs'

const root = path.dirname(import.meta.dirname)

/** Creates a project with a server that prints one word. */
async function project(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-server-'))
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'server'))
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await cp(path.join(root, 'server/vite.config.ts'), path.join(folder, 'server/vite.config.ts'))
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(path.join(folder, 'package-lock.json'), '{}')
  for (const script of ['server/parley.ts', 'server/main.ts', 'server/cli.ts', ...Object.values(THREADS)]) {
    const word = path.posix.relative(path.posix.dirname(script), 'server/word.ts')
    await mkdir(path.dirname(path.join(folder, script)), { recursive: true })
    await writeFile(
      path.join(folder, script),
      `import { word } from '${word.startsWith('.') ? word : `./${word}`}'\nconsole.log(word)\n`,
    )
  }
  await say(folder, 'first')
  return folder
}

/** A script that repeatedly creates and removes the files of a build. */
const COME_AND_GO = `
  const { mkdirSync, rmSync } = require('node:fs')
  console.log('begun')
  for (let at = 0; ; at += 1) for (const name of ['dist.new', 'dist/old']) {
    mkdirSync(process.argv[1] + '/' + name + at + '/a', { recursive: true })
    rmSync(process.argv[1] + '/' + name + at, { recursive: true })
  }`

const say = (folder: string, word: string) =>
  writeFile(path.join(folder, 'server/word.ts'), `export const word: string = '${word}'\n`)

const outputOf = async (file: string | null) => (await promisify(execFile)(process.execPath, [file ?? ''])).stdout

test('a script counts as built until a source or a package changes', async (t) => {
  const folder = await project(t)
  assert.equal(builtScript(folder, 'server/main.ts'), null)

  assert.equal(await buildServer(folder), null)
  const first = builtScript(folder, 'server/main.ts')
  assert.equal(await outputOf(first), 'first\n')
  await writeFile(path.join(folder, 'server/word.test.ts'), '')
  assert.equal(builtScript(folder, 'server/main.ts'), first)

  await say(folder, 'second')
  assert.equal(builtScript(folder, 'server/main.ts'), null)
  assert.equal(await buildServer(folder), null)
  assert.equal(await outputOf(builtScript(folder, 'server/main.ts')), 'second\n')
  assert.equal(await outputOf(first), 'first\n', 'files that a running server may still load are kept')

  await writeFile(path.join(folder, 'package-lock.json'), '{ }')
  assert.equal(builtScript(folder, 'server/main.ts'), null)
})

test('two concurrent builds both succeed, and only the newest builds are kept', async (t) => {
  const folder = await project(t)

  assert.deepEqual(await Promise.all([buildServer(folder), buildServer(folder)]), [null, null])

  assert.equal(await outputOf(builtScript(folder, 'server/cli.ts')), 'first\n')
  for (const word of ['second', 'third', 'fourth']) {
    await say(folder, word)
    await buildServer(folder)
  }
  assert.equal((await readdir(path.join(folder, 'server/dist'))).length, 3)
  assert.equal(await outputOf(builtScript(folder, 'server/main.ts')), 'fourth\n')
})

test('concurrent builds of others do not prevent a start', async (t) => {
  const folder = await project(t)
  assert.equal(await buildServer(folder), null)
  const builder = spawn(process.execPath, ['--eval', COME_AND_GO, path.join(folder, 'server')])
  await once(builder.stdout, 'data')

  try {
    for (let count = 0; count < 1000; count += 1) assert.notEqual(builtScript(folder, 'server/main.ts'), null)
  } finally {
    builder.kill()
    await once(builder, 'exit')
  }
})

test('a failed build reports the reason and leaves nothing behind', async (t) => {
  const folder = await project(t)
  await writeFile(path.join(folder, 'server/word.ts'), 'export const word = (')

  const complaint = await buildServer(folder)

  assert.match(complaint ?? '', /word\.ts/)
  assert.equal(builtScript(folder, 'server/main.ts'), null)
  assert.deepEqual(
    (await readdir(path.join(folder, 'server'))).filter((name) => name.startsWith('dist')),
    [],
  )
})

test('a build that cannot write reports it', async (t) => {
  const folder = await project(t)
  await writeFile(path.join(folder, 'server/dist'), 'a file where a folder is needed')

  assert.match((await buildServer(folder)) ?? '', /server\/dist/)
})

test('accounts that may read the sources may read the build', async (t) => {
  const folder = await project(t)

  assert.equal(await buildServer(folder), null)

  const built = path.dirname(builtScript(folder, 'server/main.ts') ?? '')
  assert.equal((await stat(built)).mode, (await stat(path.join(folder, 'server'))).mode)
})
