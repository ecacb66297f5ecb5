import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import path from 'node:path'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { isSea } from 'node:sea'
import type { Clock } from './clock.ts'
import { FEATURE_LEVEL } from './protocol.ts'

// Facts and settings of this process: where the project is, its version, how its commands are typed, the permissions of
// files that it creates, and when it returns unused memory to the system.

const packageFile = findPackageJSON('..', import.meta.url) as string

type PackageFile = {
  version: string
  /** Only in releases, where `tools/release` writes it. */
  release?: { commit?: string }
}

const { version, release }: PackageFile = JSON.parse(readFileSync(packageFile, 'utf8'))

/** The folder that contains package.json. It is found from the sources and from bundled code. */
export const projectRoot = path.dirname(packageFile)

/** The version of this program, such as `0.1.0`. */
export const programVersion: string = version

/** The first twelve digits of the commit from which this program was built; null if that is unknown. */
export const programCommit: string | null =
  (release === undefined ? checkedOutCommit(projectRoot) : release.commit)?.slice(0, 12) ?? null

/** The feature level of the protocol, and the commit, such as `feature level 372, commit 0123456789ab`. */
export const versionDetails: string = [
  `feature level ${FEATURE_LEVEL}`,
  ...(programCommit === null ? [] : [`commit ${programCommit}`]),
].join(', ')

/** Returns how operators type a command of this program, such as `parley setup-link`. */
export function commandLine(words: string): string {
  return `${release === undefined ? 'npm run -s parley --' : typedCommand()} ${words}`
}

/** Returns the name of an account of the system, or its number if it has no name. */
export function accountName(uid: number): string {
  const entry = readIfPresent('/etc/passwd')
    ?.split('\n')
    .find((line) => line.split(':')[2] === `${uid}`)
  return entry?.split(':')[0] ?? `${uid}`
}

/**
 * Returns how operators start the server: with a setting, such as `PORT=9992`, or else by a command of the system if it
 * is a service.
 */
export function startCommand(setting = ''): string {
  // biome-ignore lint/style/noProcessEnv: it is no setting: launchers pass it on to the program
  const service = process.env['PARLEY_START_COMMAND']
  if (service !== undefined && setting === '') return service
  const command = release === undefined ? 'npm start' : typedCommand()
  // sudo passes on only the variables behind it.
  return `${setting} ${command}`.trim().replace(/^(\S+=\S+) sudo /, 'sudo $1 ')
}

/** Notifies systemd that the server is ready, if it has started this process and waits for that (`Type=notify`). */
export function reportReady(): void {
  // biome-ignore lint/style/noProcessEnv: it is no setting: systemd sets it
  if (process.env['NOTIFY_SOCKET'] === undefined) return
  execFile('systemd-notify', ['--ready'], (error) => {
    if (error !== null) process.stderr.write(`systemd does not know that the server is ready: ${error.message}\n`)
  })
}

/** Returns what runs this release, such as `sudo parley` or `npx parley`, as its launcher says. */
// biome-ignore lint/style/noProcessEnv: it is no setting: launchers pass it on to the program
const typedCommand = (): string => process.env['PARLEY_COMMAND'] ?? 'parley'

/** Returns the arguments of this Node that run a command in a process of its own. A single executable needs no script. */
export const programArguments = (script: string, words: readonly string[]): string[] =>
  isSea() ? [...words] : [script, ...words]

/** Returns the commit of a checkout, as Git stores it; undefined if there is none. */
export function checkedOutCommit(folder: string): string | undefined {
  try {
    const git = gitFolder(path.join(folder, '.git'))
    const head = readFileSync(path.join(git, 'HEAD'), 'utf8').trim()
    const branch = /^ref: (.*)$/.exec(head)?.[1]
    const commit = branch === undefined ? head : findBranch(git, branch)
    return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined
  } catch {
    // The account of the server may be unable to read the folder.
    return undefined
  }
}

/** Returns the folder of Git's data. Worktrees have a file that names it. */
function gitFolder(at: string): string {
  if (!statSync(at).isFile()) return at
  return path.resolve(
    path.dirname(at),
    readFileSync(at, 'utf8')
      .replace(/^gitdir: /, '')
      .trim(),
  )
}

function findBranch(git: string, branch: string): string | undefined {
  // Worktrees share the branches of the checkout to which they belong.
  const shared = readIfPresent(path.join(git, 'commondir'))?.trim()
  const folder = shared === undefined ? git : path.resolve(git, shared)
  const packed = () => readIfPresent(path.join(folder, 'packed-refs'))?.split('\n')
  return (
    readIfPresent(path.join(folder, branch))?.trim() ??
    packed()
      ?.find((line) => line.endsWith(` ${branch}`))
      ?.split(' ')[0]
  )
}

const readIfPresent = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Makes new files and folders of this process inaccessible to accounts outside its group. */
export function restrictFilePermissions(): void {
  const before = process.umask(0o077)
  process.umask(before | 0o007)
}

/** Seconds between two checks. */
const MEMORY_CHECK_INTERVAL = 10

/** The growth in bytes that makes returning memory worth its cost: 70 to 120 ms of CPU time on a small server. */
const MIN_GROWTH = 32 * 2 ** 20

/** The maximum share of the last interval for which the event loop was busy. A pause delays few requests then. */
const MAX_UTILIZATION = 0.2

type UnusedMemoryOptions = {
  clock: Clock
  /** Collects all garbage and returns the free pages to the system. */
  collect: () => void
  /** Returns the memory of the process in bytes. */
  memory?: () => number
  /** Returns the share of the time since the last call for which the event loop was busy. */
  utilization?: () => number
}

/**
 * Returns memory to the system whenever the server is quiet after a load. V8 keeps the pages that it has once used for
 * garbage, so that a server whose data fits into 30 MB could hold 400 MB forever. Returns a function that stops this.
 */
export function returnUnusedMemory({
  clock,
  collect,
  memory = process.memoryUsage.rss,
  utilization = utilizationMeter(),
}: UnusedMemoryOptions): () => void {
  let leastMemory = memory()
  let cancel = () => {}

  function check(): void {
    const isQuiet = utilization() <= MAX_UTILIZATION
    leastMemory = Math.min(leastMemory, memory())
    if (isQuiet && memory() - leastMemory >= MIN_GROWTH) {
      collect()
      leastMemory = memory()
    }
    cancel = clock.schedule(clock.now() + MEMORY_CHECK_INTERVAL, check)
  }

  cancel = clock.schedule(clock.now() + MEMORY_CHECK_INTERVAL, check)
  return () => cancel()
}

function utilizationMeter(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

/** Returns a `collect` for `returnUnusedMemory`; null without the flag --expose-gc. */
export function findCollector(): (() => void) | null {
  const { gc } = globalThis
  // Other collections keep the free pages.
  return gc === undefined ? null : () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
