import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

// The packages that a release brings in node_modules, because the bundled server loads them, or files of them, by name
// at run time. All others are part of the bundles.

/** The packages that the server loads by name, and what is needed of them; everything if omitted. */
const LOADED: Readonly<Record<string, RegExp | undefined>> = {
  '@fontsource-variable/inter': /^files\/inter-latin-wght-normal\.woff2$/,
  '@xmldom/xmldom': undefined,
  '@zxcvbn-ts/language-common': /^dist\/.*\.cjs$/,
  'disposable-email-domains': /^index\.json$/,
  'highlight.js': /^lib\/.*(?<!\.js)\.js$/,
  'intl-messageformat': undefined,
  sharp: undefined,
}

/** The licence of a package that names none, in the words of SPDX. */
export const NO_LICENSE = 'NOASSERTION'

/** Files that no program reads. Licences are always kept. */
const UNUSED = /(?:^|\/)\.|\.(?:map|md|markdown|[cm]?ts)$|^(?:bin|test|src|install)\//i
const LICENSES = /^(?:licen[cs]e|copying|notice|third-party)[^/]*$/i

/** A package as package-lock.json and its own package.json describe it. */
export type InstalledPackage = {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Its folder below the root, such as `node_modules/sharp`. */
  readonly folder: string
  /** The hash of its archive, as in package-lock.json. */
  readonly integrity: string | undefined
  /** The names of the packages on which it depends, with their versions. */
  readonly dependencies: Readonly<Record<string, string>>
  /** The files to ship, relative to its folder. */
  readonly files: readonly string[]
}

type Entry = {
  version: string
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Returns package-lock.json as npm writes it, by folder. */
export function readLock(root: string): Readonly<Record<string, Entry>> {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages
}

/**
 * Returns the packages that a release brings, with all on which they depend, as they are installed for this system.
 * Throws if the installation does not match package-lock.json.
 */
export function packagesToShip(root: string): InstalledPackage[] {
  const lock = readLock(root)
  const found = new Map<string, InstalledPackage>()

  function add(name: string, from: string, isOptional: boolean): void {
    const folder = findFolder(lock, name, from)
    // npm leaves out optional packages for other systems.
    if (isOptional && (folder === undefined || !existsSync(path.join(root, folder)))) return
    if (folder === undefined) throw new Error(`package-lock.json lacks ${name}, which ${from || 'the server'} needs`)
    if (found.has(folder)) return
    const entry = lock[folder] as Entry
    const own = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'))
    if (own.version !== entry.version)
      throw new Error(`${folder} has version ${own.version} instead of ${entry.version}: run \`npm ci\``)
    const { version, integrity, dependencies = {}, optionalDependencies = {} } = entry
    const files = filesOf(path.join(root, folder), LOADED[name])
    const license: string = own.license ?? NO_LICENSE
    found.set(folder, { name, version, license, folder, integrity, dependencies, files })
    for (const needed of Object.keys(dependencies)) add(needed, folder, false)
    for (const wanted of Object.keys(optionalDependencies)) add(wanted, folder, true)
  }

  for (const name of Object.keys(LOADED)) add(name, '', false)
  return [...found.values()].sort((one, other) => (one.folder < other.folder ? -1 : 1))
}

/** Returns where Node finds a package from the folder of another one. */
function findFolder(lock: Readonly<Record<string, Entry>>, name: string, from: string): string | undefined {
  const parents = from
    .split('/node_modules/')
    .map((_, at, parts) => parts.slice(0, parts.length - at).join('/node_modules/'))
  const candidates = [
    ...parents.filter(Boolean).map((parent) => `${parent}/node_modules/${name}`),
    `node_modules/${name}`,
  ]
  return candidates.find((folder) => lock[folder] !== undefined)
}

function filesOf(folder: string, wanted: RegExp | undefined): string[] {
  return filesIn(folder)
    .filter((file) => !file.startsWith('node_modules/'))
    .filter((file) => {
      if (file === 'package.json' || LICENSES.test(file)) return true
      // The libraries that libvips contains are listed there, with their licences.
      if (file === 'README.md' && folder.includes('sharp-libvips')) return true
      return wanted === undefined ? !UNUSED.test(file) : wanted.test(file)
    })
}

/** Returns the files in a folder, sorted and relative to it, with slashes. */
export function filesIn(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((file) => statSync(path.join(folder, file)).isFile())
    .map((file) => file.replaceAll('\\', '/'))
    .sort()
}

/** Returns the versions of the packages that the server loads by name, as package.json pins them. */
export function loadedVersions(root: string): Readonly<Record<string, string>> {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const pinned = { ...dependencies, ...optionalDependencies }
  return Object.fromEntries(Object.keys(LOADED).map((name) => [name, pinned[name]]))
}
