import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { packFolder } from '../../tools/release/archive.ts'
import { buildProgram, findSystem, stageRelease } from '../../tools/release/stage.ts'
import { freePort } from '../free-port.ts'
import { isLong } from '../size.ts'

// Builds the image with Podman, and runs it as compose.yaml does. It needs the base image. Where no registry can be
// reached, a root of debootstrap serves as well:
//   debootstrap --variant=minbase bookworm root && tar -C root -c . | podman import - docker.io/library/debian:bookworm-slim

const execute = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const BASE = 'docker.io/library/debian:bookworm-slim'
const IMAGE = 'localhost/parley:test'

/** Returns why the image is not tested; false if it is. */
function reasonToSkip(): string | false {
  if (!isLong) return 'it takes a minute, and so belongs to `npm run test:long`'
  try {
    execFileSync('podman', ['run', '--rm', '--pull=never', '--network=none', BASE, 'true'], { stdio: 'pipe' })
    return false
  } catch (error) {
    return `Podman cannot run ${BASE} here: ${(error as Error).message.split('\n').slice(0, 2).join(' ')}`
  }
}

const skip = reasonToSkip()
const podman = async (...words: string[]) => (await execute('podman', words)).stdout.trim()

/** The protections of compose.yaml. */
const PROTECTED = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges']

test('the image runs without root, rights or a writable root, and keeps its data', { skip }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-image-'))
  const [container, volume] = [path.basename(folder), `${path.basename(folder)}-data`]
  after(async () => {
    await podman('rm', '--force', container)
    await podman('volume', 'rm', '--force', volume)
    await rm(folder, { recursive: true })
  })
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
  const system = findSystem()
  await buildProgram(root)
  stageRelease({ root, version, system, time: 0, commit: null }, path.join(folder, 'staged'))
  const name = `parley-${version}-linux-${system.architecture}`
  await mkdir(path.join(folder, 'release', version), { recursive: true })
  await packFolder(path.join(folder, 'staged'), name, path.join(folder, 'release', version, `${name}.tar.gz`), 0)
  await copyFile(path.join(root, 'Dockerfile'), path.join(folder, 'Dockerfile'))
  await podman('build', '--format=docker', '--build-arg=RELEASE=downloaded', `--tag=${IMAGE}`, folder)
  const port = await freePort()
  const url = `http://localhost:${port}`
  const parley = (...words: string[]) => podman('exec', container, 'parley', ...words)
  /** Resolves when the check of the image succeeds. */
  const becomesHealthy = async () => {
    while (!(await parley('health').catch(() => ''))) assert.equal(await state('Running'), 'true')
  }
  const state = (field: string) => podman('inspect', container, `--format={{.State.${field}}}`)

  const start = [...PROTECTED, `--name=${container}`, `--volume=${volume}:/data`, `--publish=127.0.0.1:${port}:9991`]
  await podman('run', '--detach', ...start, `--env=EXTERNAL_URL=${url}`, IMAGE)
  await becomesHealthy()
  const link = /http:\S+\/new\/\S+/.exec(await podman('logs', container))?.[0] as string
  const page = await fetch(link)
  const status = await podman('exec', container, 'cat', '/proc/1/status')
  const writable = await podman(
    'exec',
    container,
    'sh',
    '-c',
    'for at in / /opt /etc /data /tmp; do test ! -w $at || echo $at; done',
  )
  await parley('org', 'create', '--name=Example', '--owner-email=ada@example.com', '--owner-name=Ada')
  const stopsAt = performance.now() + 10_000
  await podman('stop', container)
  const isInTime = performance.now() < stopsAt
  const exitCode = await state('ExitCode')
  await podman('start', container)
  await becomesHealthy()
  const organizations = JSON.parse(await parley('org', 'list', '--json'))

  assert.deepEqual([page.status, (await page.text()).includes('<form')], [200, true])
  assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m)
  assert.match(status, /^CapEff:\t0+$/m)
  assert.match(status, /^NoNewPrivs:\t1$/m)
  assert.equal(writable, '/data\n/tmp')
  assert.deepEqual([isInTime, exitCode], [true, '0'])
  assert.equal(organizations[0].name, 'Example')
})
