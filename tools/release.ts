import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { packFolder } from './release/archive.ts'
import { buildProgram, findSystem, type Release, stageRelease } from './release/stage.ts'

// Makes a release for the system on which it runs, in `release/VERSION/`: `npm run release`.

const root = path.dirname(import.meta.dirname)

/** Writes one file of a release into a folder; `staged` contains the files of the tarball. Returns its name. */
type Part = (release: Release, staged: string, into: string) => Promise<string>

const parts: Readonly<Record<string, Part>> = {
  async tarball(release, staged, into) {
    const name = `parley-${release.version}-linux-${release.system.architecture}`
    await packFolder(staged, name, path.join(into, `${name}.tar.gz`), release.time)
    return `${name}.tar.gz`
  },
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** Returns what Git and package.json say about the sources. */
function describeRelease(): Release {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const isChanged = git('status', '--porcelain') !== ''
  if (isChanged) process.stderr.write('The sources contain changes without a commit, so the release names no commit.\n')
  return {
    root,
    version,
    system: findSystem(),
    time: Number(git('log', '-1', '--format=%ct')),
    commit: isChanged ? null : git('rev-parse', 'HEAD'),
  }
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

const wanted = process.argv.slice(2)
const unknown = wanted.filter((part) => !Object.hasOwn(parts, part))
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(' ')}. Parts of a release: ${Object.keys(parts).join(' ')}\n`)
  process.exit(2)
}
const release = describeRelease()
await buildProgram(root)
await makeRelease(release, wanted.length > 0 ? wanted : Object.keys(parts), path.join(root, 'release', release.version))
