/**
 * Puts the server into few files, which load in half the time of a thousand (docs/decisions/0024): server/dist/HASH, named
 * by the sources. A running server may yet load from the build that it was started from, so that a newer one leaves it.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { hashOf, viteBuild } from './vite-build.mjs'

/** Builds that are left beside the newest. */
const OLDER_BUILDS = 2

/** The built form of a script of the server, such as `server/main.ts`; null where it was not built of the sources as they are. */
export function builtScript(root, script) {
  const file = path.join(folderOf(root), `${path.basename(script, '.ts')}.js`)
  return existsSync(file) ? file : null
}

/** Resolves to what the build said when it failed, or why nothing can be written; null when it succeeded. */
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

/** Whoever builds the same at the same time may have been first. */
function putInPlace(built, folder) {
  const builds = path.dirname(folder)
  mkdirSync(builds, { recursive: true })
  // A service may run as somebody else than who built, who alone can read a temporary folder.
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
      // Somebody else removes it at the same time; what is left goes with the next build.
    }
  }
}

/** 0 for what somebody else has removed meanwhile. */
const timeOf = (folder) => statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
