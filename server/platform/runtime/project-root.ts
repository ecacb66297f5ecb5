import { findPackageJSON } from 'node:module'
import path from 'node:path'

/** The folder of package.json, for sources and for bundled code. */
export const projectRoot = path.dirname(findPackageJSON('..', import.meta.url) as string)
