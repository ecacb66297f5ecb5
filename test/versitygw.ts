import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { openFilesAt } from '#storage/open-files.ts'
import { freePort } from './free-port.ts'

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
const settingsWithFiles = (environment: Record<string, string>, DATA_DIR: string): Settings =>
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
