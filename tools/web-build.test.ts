import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { buildWeb, isWebBuilt } from './web-build.mjs'

const execute = promisify(execFile)
const root = path.dirname(import.meta.dirname)

const CONFIG = `export default {
  build: {
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'app/notifications/service-worker.ts'].map((file) => import.meta.dirname + '/' + file),
      output: { entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js') },
    },
  },
}
`

/**
 * Creates a project with a client and a service worker of one line each, and the folders that a client shares with the
 * server.
 */
async function project(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-web-'))
  t.after(() => rm(folder, { recursive: true }))
  await mkdir(path.join(folder, 'web/app/notifications'), { recursive: true })
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  for (const shared of ['server/rules']) await mkdir(path.join(folder, shared), { recursive: true })
  await writeFile(path.join(folder, 'web/vite.config.ts'), CONFIG)
  await writeFile(path.join(folder, 'package-lock.json'), '{}')
  await writeFile(path.join(folder, 'web/index.html'), '<script type="module" src="/main.ts"></script>')
  await writeFile(path.join(folder, 'web/main.ts'), 'const word: string = "first"\nconsole.log(word)\n')
  await writeFile(path.join(folder, 'web/app/notifications/service-worker.ts'), 'console.log("woken")\n')
  return folder
}

const script = async (folder: string) => {
  const page = await readFile(path.join(folder, 'web/dist/index.html'), 'utf8')
  return readFile(path.join(folder, 'web/dist', /src="([^"]+)"/.exec(page)?.[1] ?? ''), 'utf8')
}

test('the client counts as built until one of its sources or a package changes', async (t) => {
  const folder = await project(t)
  assert.equal(isWebBuilt(folder), false)

  assert.equal(await buildWeb(folder), null)
  assert.equal(isWebBuilt(folder), true)
  assert.match(await script(folder), /first/)
  assert.match(await readFile(path.join(folder, 'web/dist/service-worker.js'), 'utf8'), /woken/)

  await writeFile(path.join(folder, 'web/main.ts'), 'console.log("second")\n')
  assert.equal(isWebBuilt(folder), false)
  assert.equal(await buildWeb(folder), null)
  assert.match(await script(folder), /second/)
  await writeFile(path.join(folder, 'package-lock.json'), '{ }')
  assert.equal(isWebBuilt(folder), false)
})

test('a failed build reports the reason and keeps the existing client', async (t) => {
  const folder = await project(t)
  await buildWeb(folder)
  await writeFile(path.join(folder, 'web/main.ts'), 'console.log(')

  const complaint = await buildWeb(folder)

  assert.match(complaint ?? '', /main\.ts/)
  assert.equal(isWebBuilt(folder), false)
  assert.match(await script(folder), /first/)
})

test('concurrent builds leave a complete client', async (t) => {
  const folder = await project(t)
  const script = `
    const { buildWeb } = await import(process.argv[1])
    process.exitCode = (await buildWeb(process.argv[2])) === null ? 0 : 1
  `
  const build = () =>
    execute(process.execPath, ['--input-type=module', '-e', script, path.join(root, 'tools/web-build.mjs'), folder])

  await Promise.all([build(), build(), build()])

  assert.equal(isWebBuilt(folder), true)
  assert.deepEqual(
    (await readdir(path.join(folder, 'web'))).filter((name) => name.startsWith('dist')),
    ['dist'],
  )
})
