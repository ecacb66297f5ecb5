import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { builtScript } from '../server-build.mjs'
import { NO_LICENSE, packagesToShip } from './packages.ts'

// The licences of everything that a release contains besides our own code.

/** A package whose files are part of others: of the bundles, or of the style sheets. */
type BundledPackage = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly texts: readonly string[]
}

/** A package as the builds list it in `licenses.json`. */
type ListedPackage = { name: string; version: string; identifier?: string; text?: string }

/** Packages of which the web client has files, but no code. */
const FONTS = ['@fontsource-variable/jetbrains-mono', 'twemoji-colr-font']

/** Returns the packages of which the bundles of the server and of the web client have code or fonts, sorted by name. */
export function bundledPackages(root: string): BundledPackage[] {
  const server = path.dirname(builtScript(root, 'server/parley.ts') as string)
  const lists = [path.join(server, 'licenses.json'), path.join(root, 'web/dist/.licenses.json')]
  const listed = lists.flatMap((file): ListedPackage[] => JSON.parse(readFileSync(file, 'utf8')))
  const code = listed.map(({ name, version, identifier = NO_LICENSE, text }) => {
    return { name, version, license: identifier, texts: text ? [text] : [] }
  })
  const fonts = FONTS.map((name) => {
    const folder = path.join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
    return { name, version, license, texts: licenseTexts(folder) }
  })
  const unique = new Map([...code, ...fonts].map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, bundled]) => bundled)
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i

function licenseTexts(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => LICENSE_FILE.test(name))
  return names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8'))
}

const INTRODUCTION = 'Parley is licensed under the Apache License 2.0. It contains the following works of others.\n\n'

type Notice = { title: string; license: string; texts: readonly string[] }

/** Returns the text of THIRD-PARTY-NOTICES: each package with its licence. */
export function thirdPartyNotices(root: string): string {
  const notices: Notice[] = [
    { title: `Node.js ${process.version.slice(1)}`, license: 'MIT and others', texts: licenseTexts(nodePackage(root)) },
    ...packagesToShip(root).map(({ name, version, license, folder }) => ({
      title: `${name} ${version}`,
      license,
      texts: licenseTexts(path.join(root, folder)),
    })),
    ...bundledPackages(root).map(({ name, version, license, texts }) => {
      return { title: `${name} ${version}`, license, texts }
    }),
    {
      title: 'libvips and the libraries that it contains',
      license: 'LGPL-3.0-or-later and others, listed in node_modules/@img/sharp-libvips-*/README.md',
      texts: ['LGPL-3.0.txt', 'GPL-3.0.txt'].map((name) => readFileSync(path.join(import.meta.dirname, name), 'utf8')),
    },
  ]
  return INTRODUCTION + notices.map(describe).join(`\n${'-'.repeat(80)}\n\n`)
}

const describe = ({ title, license, texts }: Notice) =>
  `${title}\nLicense: ${license}\n${texts.map((text) => `\n${text.trim()}\n`).join('')}`

/** Returns the folder of the package for this system, in which `node` installed itself. */
const nodePackage = (root: string) =>
  path.join(root, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`)
