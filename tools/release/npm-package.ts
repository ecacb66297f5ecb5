import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { serverFlags } from '../server-flags.mjs'
import { packFolder } from './archive.ts'
import { loadedVersions } from './packages.ts'
import { fill, type Release, stageProgram, write } from './stage.ts'

/**
 * Makes the package for npm, which runs on any system with Node, and returns its name. It depends on the packages that a
 * tarball brings.
 */
export async function makeNpmPackage(release: Release, _staged: string, into: string): Promise<string> {
  const { root, version, commit, time } = release
  const folder = path.join(into, 'npm')
  mkdirSync(folder)
  stageProgram(release, folder)
  const launcher = readFileSync(path.join(import.meta.dirname, 'npm-launcher.cjs'), 'utf8')
  write(path.join(folder, 'bin/parley.cjs'), fill(launcher, { FLAGS: serverFlags.join(' ') }), 0o755)
  const { description, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const { sharp, ...dependencies } = loadedVersions(root)
  const manifest = {
    ...{ name: 'parley', version, description, license, type: 'module' },
    bin: { parley: 'bin/parley.cjs' },
    engines: { node: '>=24' },
    dependencies,
    optionalDependencies: { sharp },
    release: commit === null ? {} : { commit },
  }
  write(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  write(path.join(folder, 'README.md'), readFileSync(path.join(import.meta.dirname, 'npm-readme.md'), 'utf8'))
  const name = `parley-${version}.tgz`
  await packFolder(folder, 'package', path.join(into, name), time)
  rmSync(folder, { recursive: true })
  return name
}
