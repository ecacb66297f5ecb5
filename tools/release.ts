import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { packFolder } from './release/archive.ts'
import { makeDebianPackage } from './release/debian.ts'
import { makeExecutable } from './release/executable.ts'
import { makeNpmPackage } from './release/npm-package.ts'
import { makeSbom } from './release/sbom.ts'
import { buildProgram, findSystem, type Release, stageRelease } from './release/stage.ts'

// Makes a release for the system on which it runs, in `release/VERSION/`: `npm run release`, or some parts of it: `npm run
// release -- tarball deb`. With `--check`, it proves that a second build gives the same bytes.

const root = path.dirname(import.meta.dirname)

/** Writes one file of a release into a folder; `staged` contains the files of the tarball. Returns its name. */
type Part = (release: Release, staged: string, into: string) => Promise<string>

const parts: Readonly<Record<string, Part>> = {
  async tarball(release, staged, into) {
    const name = `parley-${release.version}-linux-${release.system.architecture}`
    await packFolder(staged, name, path.join(into, `${name}.tar.gz`), release.time)
    return `${name}.tar.gz`
  },
  executable: makeExecutable,
  deb: makeDebianPackage,
  npm: makeNpmPackage,
  sbom: makeSbom,
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** Returns what Git and package.json say about the sources. */
function describeRelease(): Release {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const system = findSystem()
  if (!existsSync(path.join(root, '.git'))) {
    process.stderr.write('The sources are no checkout, so the release names no commit.\n')
    return { root, version, system, time: Number(process.env['SOURCE_DATE_EPOCH'] ?? 0), commit: null }
  }
  const isChanged = git('status', '--porcelain') !== ''
  if (isChanged) process.stderr.write('The sources contain changes without a commit, so the release names no commit.\n')
  const commit = isChanged ? null : git('rev-parse', 'HEAD')
  return { root, version, system, time: Number(git('log', '-1', '--format=%ct')), commit }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Makes the wanted parts in a folder, with SHA256SUMS, and prints the name and size of each. */
async function makeRelease(release: Release, wanted: readonly string[], folder: string): Promise<void> {
  mkdirSync(path.dirname(folder), { recursive: true })
  const work = mkdtempSync(`${folder}.`)
  try {
    const [staged, made] = [path.join(work, 'staged'), path.join(work, 'made')]
    mkdirSync(made)
    stageRelease(release, staged)
    const names: string[] = []
    for (const part of wanted) names.push(await (parts[part] as Part)(release, staged, made))
    const lines: string[] = []
    for (const name of names.sort()) {
      const file = path.join(made, name)
      lines.push(`${await hashFile(file)}  ${name}\n`)
      process.stdout.write(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${name}\n`)
    }
    writeFileSync(path.join(made, 'SHA256SUMS'), lines.join(''))
    rmSync(folder, { recursive: true, force: true })
    renameSync(made, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Makes the release again from a copy of the sources in another folder. Returns the names of the files that differ: they
 * depend on something besides the sources.
 */
async function findDifferences(release: Release, wanted: readonly string[], folder: string): Promise<string[]> {
  const copy = mkdtempSync(path.join(tmpdir(), 'parley release copy '))
  try {
    const sources = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0').filter(Boolean)
    for (const file of sources) {
      if (!existsSync(path.join(root, file))) continue
      mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
      copyFileSync(path.join(root, file), path.join(copy, file))
    }
    // Not as links: the builds follow these, and would see the paths of the first folder.
    execFileSync('cp', ['-R', path.join(root, 'node_modules'), copy])
    await buildProgram(copy)
    const again = path.join(copy, 'release')
    await makeRelease({ ...release, root: copy }, wanted, again)
    const [first, second] = [folder, again].map((made) =>
      readFileSync(path.join(made, 'SHA256SUMS'), 'utf8').split('\n'),
    )
    return second!.filter((line) => !first!.includes(line)).map((line) => line.slice(line.indexOf('  ') + 2))
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
const unknown = positionals.filter((part) => !Object.hasOwn(parts, part))
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(' ')}. Parts of a release: ${Object.keys(parts).join(' ')}\n`)
  process.exit(2)
}
const wanted = positionals.length > 0 ? positionals : Object.keys(parts)
const release = describeRelease()
const folder = path.join(root, 'release', release.version)
await buildProgram(root)
await makeRelease(release, wanted, folder)
process.stdout.write(`They are in ${path.relative(process.cwd(), folder)}.\n`)
if (values.check) {
  const differences = await findDifferences(release, wanted, folder)
  if (differences.length > 0) {
    process.stderr.write(`A second build in another folder differs: ${differences.join(' ')}\n`)
    process.exit(1)
  }
  process.stdout.write('A second build in another folder gives the same bytes.\n')
}
