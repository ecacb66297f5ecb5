import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { makeNpmPackage } from './release/npm-package.ts'
import { makeSbom } from './release/sbom.ts'
import { buildProgram, findSystem, stageRelease } from './release/stage.ts'

const execute = promisify(execFile)
const root = path.dirname(import.meta.dirname)
const isSupported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)
const skip = isSupported ? false : 'releases are for Linux'

const folder = await mkdtemp(path.join(tmpdir(), 'parley release '))
after(() => rm(folder, { recursive: true }))
const release = path.join(folder, 'parley-1.2.3')
const commit = '0123456789abcdef0123456789abcdef01234567'

if (isSupported) {
  await buildProgram(root)
  stageRelease({ root, version: '1.2.3', system: findSystem(), time: 0, commit }, release)
}

/** Runs the command of the release with few variables in its environment, outside of the release and of the project. */
const options = (more: Readonly<Record<string, string>> = {}) => ({
  cwd: folder,
  env: { PATH: process.env['PATH'], ...more },
})

test('a release starts from any folder through a link, without npm and HOME', { skip }, async (t) => {
  const link = path.join(folder, 'parley')
  await symlink('parley-1.2.3/bin/parley', link)

  const server = spawn(link, { ...options({ PORT: '0' }), stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => server.kill())
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  const output: string[] = []
  while (output.length < 5) output.push(String((await lines.next()).value))
  const url = output[0]?.split(' ').at(-1) as string
  const health = await (await fetch(`${url}/health`)).text()
  const page = await fetch(String(output[2]).trim())
  server.kill('SIGTERM')
  const [code] = await once(server, 'exit')

  assert.match(health, /^ok\nParley 1\.2\.3\nfeature level \d+, commit 0123456789ab\n$/)
  assert.deepEqual([page.status, (await page.text()).includes('<form')], [200, true])
  assert.ok(output[4]?.trim().startsWith(`'${link}' org create `), output[4])
  assert.equal(code, 0)
  assert.match(
    (await execute(link, ['--version'], options())).stdout,
    /^Parley 1\.2\.3, feature level \d+, commit \w+\n$/,
  )
  const { stdout } = await execute(link, ['setup-link'], options())
  assert.match(stdout, /^http:\/\/localhost:9991\/new\//)
})

test('a release brings the packages that the server loads by name, and the image library works', { skip }, async () => {
  const names = await readdir(path.join(release, 'dist'))
  const texts = await Promise.all(names.map((name) => readFile(path.join(release, 'dist', name), 'utf8')))
  const loaded = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:load|resolve)\("(@?[a-z][^"]*)"\)/g)].map(([, name = '']) => name),
  )
  const { resolve } = createRequire(path.join(release, 'dist/parley.js'))

  assert.ok(loaded.length >= 5, String(loaded))
  for (const name of [...loaded, 'highlight.js/lib/languages/python', 'sharp'])
    assert.ok(resolve(name).startsWith(release), name)
  const script =
    'import("sharp").then(({ default: sharp }) => sharp(Buffer.from("<svg/>")).metadata().catch(({ message }) => console.log(message)))'
  const { stdout } = await execute(path.join(release, 'bin/node'), ['-e', script], { cwd: path.join(release, 'dist') })
  assert.match(stdout, /svg/)
})

test('the notices have a licence for each package, and the text of those that have one', { skip }, async () => {
  const notices = await readFile(path.join(release, 'THIRD-PARTY-NOTICES'), 'utf8')

  for (const title of ['Node.js 24', 'sharp ', 'kysely ', 'react ', 'twemoji-colr-font '])
    assert.ok(notices.includes(`\n\n${title}`), title)
  assert.ok(!notices.includes('NOASSERTION'))
})

test('the package of npm names its versions, and says which Node it needs', { skip }, async (t) => {
  const made = await mkdtemp(path.join(tmpdir(), 'parley-npm-'))
  t.after(() => rm(made, { recursive: true }))
  const name = await makeNpmPackage(
    { root, version: '1.2.3', system: findSystem(), time: 0, commit: null },
    release,
    made,
  )
  await extract({ file: path.join(made, name), cwd: made })
  const { dependencies, bin } = JSON.parse(await readFile(path.join(made, 'package/package.json'), 'utf8'))
  const launcher = path.join(made, 'package', bin.parley)

  for (const version of Object.values(dependencies)) assert.match(String(version), /^\d/)
  await symlink(path.join(root, 'node_modules'), path.join(made, 'package/node_modules'))
  const { stdout } = await execute(process.execPath, [launcher, '--version'], options())
  assert.match(stdout, /^Parley 1\.2\.3, /)
  const old = `Object.defineProperty(process.versions, 'node', { value: '22.1.0' }); require(${JSON.stringify(launcher)})`
  const refused = await execute(process.execPath, ['-e', old], options()).catch((error) => error)
  assert.match(refused.stderr, /^parley: needs Node 24 or newer/)
})

test('a release lists its parts with versions and hashes, the same each time', { skip }, async (t) => {
  const made = await mkdtemp(path.join(tmpdir(), 'parley-sbom-'))
  t.after(() => rm(made, { recursive: true }))
  const description = { root, version: '1.2.3', system: findSystem(), time: 0, commit }
  const read = async () => readFile(path.join(made, await makeSbom(description, release, made)), 'utf8')
  const bom = await read()

  assert.equal(await read(), bom)
  const { components } = JSON.parse(bom) as { components: { name: string; version: string; hashes?: object[] }[] }
  for (const name of ['node', 'sharp', 'kysely', 'react', 'twemoji-colr-font'])
    assert.ok(
      components.some((component) => component.name === name),
      name,
    )
  assert.deepEqual(
    components.filter(({ name, hashes }) => name !== 'node' && hashes?.length !== 1),
    [],
  )
})
