import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildServer, builtScript } from '../server-build.mjs'
import { serverFlags } from '../server-flags.mjs'
import { buildWeb, isWebBuilt } from '../web-build.mjs'
import { thirdPartyNotices } from './licenses.ts'
import { filesIn, packagesToShip } from './packages.ts'

// The files of a release: the program, which is the same on all systems, and what belongs to one system.

type System = {
  /** Its name in Debian, and for containers. */
  readonly architecture: 'amd64' | 'arm64'
  /** Its name in the kernel. */
  readonly machine: string
  /** The program that loads others: a part of the GNU C library, with which Node is linked. */
  readonly loader: string
}

/** The systems for which releases can be made, by the name that Node gives them. */
const SYSTEMS: Readonly<Record<string, System>> = {
  x64: { architecture: 'amd64', machine: 'x86_64', loader: '/lib64/ld-linux-x86-64.so.2' },
  arm64: { architecture: 'arm64', machine: 'aarch64', loader: '/lib/ld-linux-aarch64.so.1' },
}

/** Returns the system on which this runs. Throws if no release can be made for it. */
export function findSystem(): System {
  const system = process.platform === 'linux' ? SYSTEMS[process.arch] : undefined
  if (system === undefined) throw new Error('Releases can be made on Linux, on x64 or arm64')
  return system
}

/** The sources of a release, and the system for which it is made. */
export type Release = {
  readonly root: string
  readonly version: string
  readonly system: System
  /** The time of the commit in seconds: the time of all files. */
  readonly time: number
  /** Null if the sources differ from the commit. */
  readonly commit: string | null
}

/** Folders and files of the sources that the server reads at run time, besides its bundle. */
const READ_AT_RUN_TIME = [
  ['server/accounts/built-in-images', /./],
  ['server/http/pages/assets', /./],
  ['server/integrations/scripts/recipes', /\.md$/],
  ['web/ui', /\.css$/],
  ['web/message-html', /\.css$/],
] as const

const DOCUMENTS = ['LICENSE', 'NOTICE', 'CHANGELOG.md']

/** Builds the server and the web client if their sources changed. Throws the output of a failed build. */
export async function buildProgram(root: string): Promise<void> {
  const complaints = [
    isWebBuilt(root) ? null : await buildWeb(root),
    builtScript(root, 'server/parley.ts') === null ? await buildServer(root) : null,
  ]
  for (const complaint of complaints) if (complaint !== null) throw new Error(complaint)
}

/** Writes the program, which needs Node and the packages of `stagePackages`, into a folder. */
export function stageProgram(release: Release, into: string): void {
  const { root } = release
  const bundle = path.dirname(builtScript(root, 'server/parley.ts') as string)
  const copy = (folder: string, target: string, pattern: RegExp) => {
    for (const file of filesIn(folder))
      if (pattern.test(file)) put(path.join(folder, file), path.join(into, target, file))
  }
  copy(bundle, 'dist', /\.js$/)
  copy(path.join(root, 'web/dist'), 'web/dist', /^(?!\.)/)
  for (const [folder, pattern] of READ_AT_RUN_TIME) copy(path.join(root, folder), folder, pattern)
  copy(path.join(root, 'docs'), 'docs', /^[^/]+\.(?:md|json)$/)
  for (const name of DOCUMENTS) put(path.join(root, name), path.join(into, name))
  write(path.join(into, 'THIRD-PARTY-NOTICES'), thirdPartyNotices(root))
  write(path.join(into, 'README.md'), readFileSync(path.join(root, 'tools/release/README.md'), 'utf8'))
  const { commit, version } = release
  const description = {
    name: 'parley',
    version,
    type: 'module',
    license: 'Apache-2.0',
    release: commit === null ? {} : { commit },
  }
  write(path.join(into, 'package.json'), `${JSON.stringify(description, null, 2)}\n`)
}

/** Writes the packages of `packagesToShip` into a folder. */
function stagePackages({ root }: Release, into: string): void {
  for (const { folder, files } of packagesToShip(root))
    for (const file of files) put(path.join(root, folder, file), path.join(into, folder, file))
}

/** The pinned Node, without symbols for debuggers if `strip` is installed. */
function stageNode({ root }: Release, file: string): void {
  put(path.join(root, 'node_modules/node/bin/node'), file)
  chmodSync(file, 0o755)
  try {
    execFileSync('strip', [file], { stdio: 'pipe' })
  } catch (error) {
    process.stderr.write(`Without \`strip\` (binutils), the release is larger: ${(error as Error).message}\n`)
  }
}

/** Writes everything that a release for one system contains, with the units and the command of a service. */
export function stageRelease(release: Release, into: string): void {
  stageProgram(release, into)
  stagePackages(release, into)
  stageNode(release, path.join(into, 'bin/node'))
  const launcher = readFileSync(path.join(release.root, 'tools/release/parley.sh'), 'utf8')
  const { machine, loader } = release.system
  const values = { MACHINE: machine, LOADER: loader, FLAGS: serverFlags.join(' ') }
  write(path.join(into, 'bin/parley'), fill(launcher, values), 0o755)
  const service = path.join(release.root, 'deploy')
  const examples = ['grafana', 'prometheus', 'proxies']
  const files = examples.flatMap((folder) => readdirSync(path.join(service, folder)).map((name) => `${folder}/${name}`))
  for (const name of ['parley', 'parley.env', 'parley.service', ...files])
    put(path.join(service, name), path.join(into, 'deploy', name))
  chmodSync(path.join(into, 'deploy/parley'), 0o755)
}

/** Copies a file, which everyone can read then. */
function put(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, 0o644)
}

/** Writes a file, which everyone can read. */
export function write(file: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
}

/** Replaces `@NAME@` by the value of that name. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/@([A-Z]+)@/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`There is no value for @${name}@`)
    return value
  })
}
