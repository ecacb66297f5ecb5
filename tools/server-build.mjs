/**
 * Bundles the server into few files, which load in half the time of a thousand (docs/decisions/0024): server/dist/HASH,
 * named by the sources. A running server may still load files of its build, so newer builds leave it in place.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { hashOf, viteBuild } from './vite-build.mjs'

/** The number of older builds that are kept beside the newest. */
const OLDER_BUILDS = 2

/**
 * Returns the built form of a script of the server, such as `server/main.ts`; null if the build does not match the
 * current sources.
 */
export function builtScript(root, script) {
  const file = path.join(folderOf(root), `${path.basename(script, '.ts')}.js`)
  return existsSync(file) ? file : null
}

/** Resolves to the output of a failed build, or the reason why nothing can be written; null if it succeeded. */
export async function buildServer(root, node = process.execPath) {
  try {
    return await build(root, node)
  } catch (error) {
    return error.message
  }
}

async function build(root, node) {
  const folder = folderOf(root)
  const built = mkdtempSync(path.join(root, 'server/dist.'))
  try {
    const complaint = await viteBuild(root, 'server', path.basename(built), node)
    if (complaint === null) putInPlace(built, folder)
    return complaint
  } finally {
    rmSync(built, { recursive: true, force: true })
  }
}

/** Moves a build into place. A concurrent build of the same sources may have been first. */
function putInPlace(built, folder) {
  const builds = path.dirname(folder)
  mkdirSync(builds, { recursive: true })
  // A service may run as another account than the build, whose temporary folder only the builder can read.
  chmodSync(built, statSync(builds).mode)
  try {
    renameSync(built, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
  removeOldBuilds(builds)
}

function folderOf(root) {
  return path.join(root, 'server/dist', hashOf(root, 'server').slice(0, 16))
}

function removeOldBuilds(builds) {
  const folders = readdirSync(builds).map((name) => path.join(builds, name))
  const newestFirst = folders.sort((one, other) => timeOf(other) - timeOf(one))
  for (const folder of newestFirst.slice(1 + OLDER_BUILDS)) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Another process removes it at the same time; the rest is removed by the next build.
    }
  }
}

/** Returns 0 for a build that another process has removed meanwhile. */
const timeOf = (folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
