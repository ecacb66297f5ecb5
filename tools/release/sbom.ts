import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundledPackages } from './licenses.ts'
import { NO_LICENSE, packagesToShip, readLock } from './packages.ts'
import { type Release, write } from './stage.ts'

/** A part of a release in the words of CycloneDX. */
type Component = {
  type: 'library' | 'platform'
  'bom-ref'?: string
  name: string
  version: string
  purl?: string
  licenses?: object[]
  hashes?: { alg: string; content: string }[]
  components?: Component[]
}

/**
 * Writes the list of all parts of a release for one system, with their versions, licences and hashes (CycloneDX 1.6), and
 * returns its name.
 */
export async function makeSbom(release: Release, _staged: string, into: string): Promise<string> {
  const { root, version, system, time, commit } = release
  const components = [nodeComponent(root), ...packageComponents(root)]
  const serial = createHash('sha256')
    .update(JSON.stringify([version, system, commit, components]))
    .digest('hex')
  const parley = {
    type: 'application',
    'bom-ref': `pkg:generic/parley@${version}`,
    ...{ name: 'parley', version, purl: `pkg:generic/parley@${version}`, licenses: licensed('Apache-2.0') },
    ...(commit !== null && { pedigree: { commits: [{ uid: commit }] } }),
  }
  const bom = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, serialNumber: `urn:uuid:${toUuid(serial)}` },
    metadata: { timestamp: new Date(time * 1000).toISOString(), component: parley },
    components,
    dependencies: [{ ref: parley['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  }
  const name = `parley-${version}-linux-${system.architecture}.cdx.json`
  write(path.join(into, name), `${JSON.stringify(bom, null, 2)}\n`)
  return name
}

function nodeComponent(root: string): Component {
  const { version } = JSON.parse(readFileSync(path.join(root, 'node_modules/node/package.json'), 'utf8'))
  const purl = `pkg:github/nodejs/node@v${version}`
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, licenses: licensed('MIT') }
}

/** Returns the packages in `node_modules` and in the bundles, each once. */
function packageComponents(root: string): Component[] {
  const hashes = new Map(
    Object.entries(readLock(root)).map(([folder, { version, integrity }]) => [
      `${folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      integrity,
    ]),
  )
  const components = new Map<string, Component>()
  for (const { name, version, license } of [...packagesToShip(root), ...bundledPackages(root)]) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const libraries = librariesIn(path.join(root, 'node_modules', name))
    components.set(purl, {
      type: 'library',
      'bom-ref': purl,
      ...{ name, version, purl },
      ...(license !== NO_LICENSE && { licenses: licensed(license) }),
      hashes: hashed(hashes.get(`${name}@${version}`)),
      ...(libraries.length > 0 && { components: libraries }),
    })
  }
  return [...components].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, component]) => component)
}

/** Returns the libraries that are compiled into the package of libvips. */
function librariesIn(folder: string): Component[] {
  const file = path.join(folder, 'versions.json')
  if (!existsSync(file)) return []
  const versions: Record<string, string> = JSON.parse(readFileSync(file, 'utf8'))
  return Object.entries(versions).map(([name, version]) => ({ type: 'library', name, version }))
}

/** Returns a license, or an expression of several, such as `(MIT OR Apache-2.0)`. */
const licensed = (license: string) =>
  license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }]

function hashed(integrity: string | undefined): { alg: string; content: string }[] {
  const [algorithm, hash] = integrity?.split(/-(.*)/, 2) ?? []
  if (algorithm !== 'sha512' || hash === undefined) return []
  return [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }]
}

/** Returns a UUID (version 8) of the first half of a hash. */
const toUuid = (hash: string) =>
  [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join(
    '-',
  )
