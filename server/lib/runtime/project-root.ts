import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import path from 'node:path'

const packageFile = findPackageJSON('..', import.meta.url) as string

/** The folder that contains package.json. It is found from the sources and from bundled code. */
export const projectRoot = path.dirname(packageFile)

/** The version of this program, such as `0.1.0`. */
export const programVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version
