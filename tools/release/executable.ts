import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { serverFlags } from '../server-flags.mjs'
import { filesIn } from './packages.ts'
import type { Release } from './stage.ts'

/** The word in the binary of Node that says where it finds the program. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** Modules are imported by a file on the disk, because the script of an executable can import only what Node contains. */
const IMPORT = "import('./parley.js')\n"

/** Makes Node with the program inside, and returns its name. `staged` contains the files of the tarball. */
export async function makeExecutable(release: Release, staged: string, into: string): Promise<string> {
  const work = path.join(into, 'executable')
  const at = (name: string) => path.join(work, name)
  mkdirSync(work)
  const contents = filesIn(staged)
    .filter((file) => !/^(?:bin|deploy)\//.test(file))
    .map((file): [string, Buffer] => [file, readFileSync(path.join(staged, file))])
  contents.push(['dist/executable.cjs', Buffer.from(IMPORT)])
  const archive = Buffer.concat(contents.map(([, bytes]) => bytes))
  const files = contents.map(([file, bytes]) => [file, bytes.length, hashOf(bytes)])
  const name = `${release.version}-${hashOf(Buffer.from(JSON.stringify(files))).slice(0, 16)}`
  writeFileSync(at('manifest.json'), JSON.stringify({ name, files }))
  writeFileSync(at('files'), zstdCompressSync(archive, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }))
  copyFileSync(path.join(import.meta.dirname, 'executable-main.cjs'), at('main.cjs'))
  // Paths are relative, because they are stored in the executable.
  const config = {
    main: 'main.cjs',
    output: 'program.blob',
    disableExperimentalSEAWarning: true,
    execArgv: serverFlags,
    assets: { 'manifest.json': 'manifest.json', files: 'files' },
  }
  writeFileSync(at('config.json'), JSON.stringify(config))
  // The output contains warnings about a binary without symbols. If the program fails, the error repeats it.
  const stdio = ['ignore', 'ignore', 'pipe'] as const
  execFileSync(process.execPath, ['--experimental-sea-config', 'config.json'], { cwd: work, stdio: [...stdio] })
  const executable = `parley-${release.version}-linux-${release.system.architecture}`
  const file = path.join(into, executable)
  copyFileSync(path.join(staged, 'bin/node'), file)
  const postject = path.join(release.root, 'node_modules/postject/dist/cli.js')
  const args = [postject, file, 'NODE_SEA_BLOB', at('program.blob'), '--sentinel-fuse', FUSE]
  execFileSync(process.execPath, args, { stdio: [...stdio] })
  chmodSync(file, 0o755)
  rmSync(work, { recursive: true })
  return executable
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
