import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { readS3Location } from '#lib/s3-url.ts'
import { openFilesAt } from '#storage/open-files.ts'
import { openS3Files } from '../server/storage/s3/open-s3-files.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './storage.ts'

// A real S3 store on loopback, whose buckets are folders.

const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), 'go/bin')]
const PROGRAM = FOLDERS.map((folder) => join(folder, 'versitygw')).find((path) => existsSync(path))

/** The reason to skip the tests of S3; false if they can run. */
export const versitygwAbsent =
  PROGRAM === undefined && 'versitygw is absent: go install github.com/versity/versitygw/cmd/versitygw@latest'

const ACCESS_KEY = 'parley'
const SECRET_KEY = 'secret of the store'

export type Versitygw = {
  readonly port: number
  /** The folder of the bucket, with a file for each object. */
  readonly bucketFolder: string
  /** Settings with FILES_URL and keys, as environment variables. `port` is that of a proxy. */
  environment(changes?: { port?: number; prefix?: string; bucket?: string }): Record<string, string>
  stop(): Promise<void>
  start(): Promise<void>
}

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened) await close()
})

const BUCKET = 'parley-files'

export async function startVersitygw(): Promise<Versitygw> {
  const folder = await mkdtemp(join(tmpdir(), 'versitygw-'))
  const bucketFolder = join(folder, BUCKET)
  await mkdir(bucketFolder)
  const port = await freePort()
  let stopServer = async () => {}

  async function start() {
    const given = [
      '--port',
      `127.0.0.1:${port}`,
      '--access',
      ACCESS_KEY,
      '--secret',
      SECRET_KEY,
      '--quiet',
      '--keep-alive',
    ]
    const child = spawn(PROGRAM ?? '', [...given, 'posix', folder], { stdio: 'ignore' })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    stopServer = async () => {
      child.kill('SIGKILL')
      await exited
      stopServer = async () => {}
    }
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`versitygw ended with ${child.exitCode}`)
      await sleep(20)
    }
  }

  await start()
  opened.push(async () => {
    await stopServer()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    port,
    bucketFolder,
    environment: (changes = {}) => ({
      FILES_URL: `s3://${changes.bucket ?? BUCKET}/${changes.prefix ?? ''}?endpoint=http://127.0.0.1:${changes.port ?? port}`,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
    }),
    stop: () => stopServer(),
    start,
  }
}

/** Returns the settings of an installation with files in the store. */
export const settingsWithFiles = (environment: Record<string, string>, DATA_DIR: string): Settings =>
  completeSettings({ ...readSettings({ ...environment, DATA_DIR }) })

/** Opens files in the store. */
export async function openFilesIn(environment: Record<string, string>, DATA_DIR: string) {
  return openFilesAt(environment['FILES_URL'] ?? '', settingsWithFiles(environment, DATA_DIR), openLog('silent'))
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}

/**
 * The behavior of a connection to the store: `cut` resets it, `stalled` forwards a little of each response and then
 * nothing, `failing` answers with 503 and `failing late` with 200 and a failure, `damaging` changes a byte of each large
 * request, and `forbidding` refuses to let objects named `forbidden` be read.
 */
type Behavior = 'well' | 'cut' | 'stalled' | 'failing' | 'failing late' | 'damaging' | 'forbidding'

export type Wire = {
  readonly port: number
  /** Sets the behavior of new connections, and of the next ones only if `count` is given. Existing connections end. */
  behave(behavior: Behavior, count?: number): void
}

const LATE_FAILURE = '<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>'

const FORBIDDEN = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'

/** Opens a proxy to the store whose connections fail as tests want. */
export async function openWire(to: number): Promise<Wire> {
  const sockets = new Set<Socket>()
  let current: { behavior: Behavior; left: number } = { behavior: 'well', left: Number.POSITIVE_INFINITY }

  function nextBehavior(): Behavior {
    if (current.left <= 0) return 'well'
    current.left -= 1
    return current.behavior
  }

  const server = createServer((near) => {
    const behavior = nextBehavior()
    near.on('error', () => {})
    if (behavior === 'cut') return void near.resetAndDestroy()
    sockets.add(near)
    if (behavior === 'failing')
      return void near.once('data', () =>
        near.end('HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
      )
    if (behavior === 'failing late')
      return void near.once('data', () => near.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${LATE_FAILURE}`))
    const far = connect(to, '127.0.0.1').on('error', () => {})
    sockets.add(far)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    let isDamaged = false
    near.on('data', (bytes) => {
      const [, method] = /^(GET|HEAD) \S*\/forbidden /.exec(bytes.toString('latin1')) ?? []
      if (behavior === 'forbidding' && method !== undefined) {
        near.write(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${FORBIDDEN.length}\r\n\r\n`)
        if (method === 'GET') near.write(FORBIDDEN)
        return
      }
      if (behavior === 'damaging' && !isDamaged && bytes.length > 10_000) {
        isDamaged = true
        bytes[bytes.length - 1]! ^= 1
      }
      far.write(bytes)
    })
    let received = 0
    far.on('data', (bytes) => {
      if (behavior !== 'stalled' || received === 0)
        near.write(bytes.subarray(0, behavior === 'stalled' ? 4096 : undefined))
      received += bytes.length
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    behave(behavior, count = Number.POSITIVE_INFINITY) {
      current = { behavior, left: count }
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
  }
}

/**
 * Opens files in the store through a wire, perhaps with other keys, a clock that differs by some seconds, and a short time
 * limit for connections that stall.
 */
export async function openFilesThrough(
  store: Versitygw,
  { port }: { port: number },
  { skew = 0, keys = {}, idleTime = 30 } = {},
) {
  const clock = systemClock()
  const prefix = `wire-${port}`
  const settings = settingsWithFiles({ ...store.environment({ port, prefix }), ...keys }, '.')
  return openS3Files({
    location: readS3Location(settings.FILES_URL, settings),
    workFolder: await temporaryFolder(),
    clock: { ...clock, now: () => clock.now() + skew },
    log: openLog('silent'),
    limits: { connectTime: 30, idleTime },
  })
}
