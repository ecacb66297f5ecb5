import { findPackageJSON } from 'node:module'
import path from 'node:path'

/** The folder of package.json, wherever in it this code was put. */
export const projectRoot = path.dirname(findPackageJSON('..', import.meta.url) as string)
