import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const REQUIREMENTS = path.join(import.meta.dirname, 'requirements.txt')
const CACHE = path.join(import.meta.dirname, '../../../.cache/python-clients')

/**
 * The Python versions of the pinned packages. zulip-term 0.7.0 requires a version below 3.11, but works with newer
 * ones.
 */
const PYTHONS = ['3.9', '3.10', '3.11', '3.12', '3.13']

/** The time limit of the installation, in milliseconds. */
const MAX_INSTALL = 240_000

const run = promisify(execFile)

/** The folder of the Python programs, or the reason why they are missing. */
type PythonClients = { programs: string; missing: string | false }

/**
 * Installs the clients of requirements.txt into a permanent folder, once for each state of that file. Waits while
 * another process is installing them.
 */
export async function openPythonClients(signal?: AbortSignal): Promise<PythonClients> {
  const python = await findPython()
  if (python === null) return { programs: '', missing: `there is no Python of ${PYTHONS.join(', ')} with venv and pip` }
  const requirements = await readFile(REQUIREMENTS, 'utf8')
  const state = createHash('sha256').update(`${python.version} ${requirements}`).digest('hex').slice(0, 12)
  const folder = path.join(CACHE, state)
  await mkdir(CACHE, { recursive: true })
  const free = await lock(`${folder}.lock`)
  try {
    if (!existsSync(path.join(folder, 'complete'))) await install(python.command, folder, signal)
    return { programs: path.join(folder, 'bin'), missing: false }
  } catch (error) {
    return { programs: '', missing: `the Python clients could not be installed: ${lastLine(error)}` }
  } finally {
    await free()
  }
}

async function findPython(): Promise<{ command: string; version: string } | null> {
  const question = 'import ensurepip, venv, sys; print("%d.%d" % sys.version_info[:2])'
  for (const command of ['python3', ...PYTHONS.map((version) => `python${version}`)]) {
    const found = await run(command, ['-c', question], { timeout: 20_000 }).catch(() => null)
    const version = found?.stdout.trim() ?? ''
    if (PYTHONS.includes(version)) return { command, version }
  }
  return null
}

async function install(python: string, folder: string, signal?: AbortSignal): Promise<void> {
  const options = { timeout: MAX_INSTALL, ...(signal && { signal }) }
  await rm(folder, { recursive: true, force: true })
  await run(python, ['-m', 'venv', folder], options)
  const pip = ['install', '--quiet', '--no-input', '--retries', '1', '--disable-pip-version-check']
  const all = ['--no-deps', '--ignore-requires-python', '-r', REQUIREMENTS]
  await run(path.join(folder, 'bin/python'), ['-m', 'pip', ...pip, ...all], options)
  await writeFile(path.join(folder, 'complete'), '')
}

/** Waits for the lock and takes it. Returns a function that releases it. */
async function lock(file: string): Promise<() => Promise<void>> {
  for (;;) {
    const isMine = await writeFile(file, String(process.pid), { flag: 'wx' }).then(
      () => true,
      () => false,
    )
    if (isMine) return () => rm(file, { force: true })
    const holder = Number(await readFile(file, 'utf8').catch(() => process.pid))
    if (!isAlive(holder)) await rm(file, { force: true })
    await pause(200)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string }
  const lines = (stderr || message).trim().split('\n')
  return lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1) ?? ''
}
