import { findPackageJSON } from 'node:module'
import path from 'node:path'

/** The folder that contains package.json. It is found from the sources and from bundled code. */
export const projectRoot = path.dirname(findPackageJSON('..', import.meta.url) as string)
