import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { filesIn } from './packages.ts'
import { fill, type Release, write } from './stage.ts'

const templates = path.join(import.meta.dirname, 'debian')
const template = (name: string) => readFileSync(path.join(templates, name), 'utf8')

/** Makes the Debian package, which installs a service, and returns its name. `staged` contains the files of the tarball. */
export async function makeDebianPackage(release: Release, staged: string, into: string): Promise<string> {
  const { root, version, system, time } = release
  const tree = path.join(into, 'debian')
  const at = (file: string) => path.join(tree, file)
  cpSync(staged, at('usr/lib/parley'), { recursive: true })
  const documentation = 'usr/share/doc/parley'
  mkdirSync(at(documentation), { recursive: true })
  renameSync(at('usr/lib/parley/deploy'), at(`${documentation}/deploy`))
  for (const name of ['parley', 'parley.env', 'parley.service']) rmSync(at(`${documentation}/deploy/${name}`))
  for (const name of ['LICENSE', 'README.md']) rmSync(at(`usr/lib/parley/${name}`))
  const moveToDocumentation = (name: string, newName = name) => {
    write(at(`${documentation}/${newName}`), readFileSync(at(`usr/lib/parley/${name}`), 'utf8'))
    rmSync(at(`usr/lib/parley/${name}`))
  }
  moveToDocumentation('NOTICE')
  moveToDocumentation('THIRD-PARTY-NOTICES')
  renameSync(at('usr/lib/parley/docs'), at(`${documentation}/docs`))
  write(at(`${documentation}/copyright`), template('copyright'))
  write(at(`${documentation}/changelog.gz`), gzipSync(changelog(release), { level: 9 }))
  write(at('usr/share/lintian/overrides/parley'), template('lintian-overrides'))
  write(at('usr/share/man/man1/parley.1.gz'), gzipSync(fill(template('parley.1'), { VERSION: version }), { level: 9 }))

  const deploy = (name: string) => readFileSync(path.join(root, 'deploy', name), 'utf8')
  write(at('usr/bin/parley'), deploy('parley'), 0o755)
  write(at('lib/systemd/system/parley.service'), deploy('parley.service'))
  write(at('etc/parley/parley.env'), deploy('parley.env'), 0o640)

  const size = filesIn(tree).reduce((total, file) => total + Math.ceil(statSync(at(file)).size / 1024), 0)
  const values = { VERSION: debianVersion(version), ARCHITECTURE: system.architecture, SIZE: String(size) }
  write(at('DEBIAN/control'), fill(template('control'), values))
  write(at('DEBIAN/conffiles'), '/etc/parley/parley.env\n')
  for (const name of ['postinst', 'prerm', 'postrm']) write(at(`DEBIAN/${name}`), template(name), 0o755)
  write(at('DEBIAN/md5sums'), checksums(tree))

  setTimes(tree, time)
  const name = `parley_${debianVersion(version)}_${system.architecture}.deb`
  execFileSync(
    'dpkg-deb',
    ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1', '--build', tree, path.join(into, name)],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(time) },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  rmSync(tree, { recursive: true })
  return name
}

/** Returns the list with which `debsums` checks the installed files. */
function checksums(tree: string): string {
  const isInstalled = (file: string) => !/^(?:DEBIAN|etc)\//.test(file)
  const lines = filesIn(tree)
    .filter(isInstalled)
    .map(
      (file) =>
        `${createHash('md5')
          .update(readFileSync(path.join(tree, file)))
          .digest('hex')}  ${file}\n`,
    )
  return lines.join('')
}

/** Sets the time of all files and folders, in seconds. */
function setTimes(tree: string, time: number): void {
  for (const entry of ['.', ...(readdirSync(tree, { recursive: true }) as string[])])
    utimesSync(path.join(tree, entry), time, time)
}

/** Versions before a release sort before it. */
const debianVersion = (version: string) => version.replace('-', '~')

function changelog({ version, time }: Release): string {
  const date = new Date(time * 1000).toUTCString().replace('GMT', '+0000')
  return `parley (${debianVersion(version)}) stable; urgency=medium

  * See CHANGELOG.md in the documentation of this version.

 -- The Parley authors <parley@users.noreply.github.com>  ${date}
`
}
