/** Builds the web client into web/dist, when its sources changed. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { hashOf, viteBuild } from './vite-build.mjs'

/** The folders of the client's sources; it shares rules with the server. */
const SOURCES = ['web', 'server/rules', 'server/people/users']

/** The file with the hash of the sources of a build. */
const STAMP = '.sources'

/** Returns whether web/dist was built from the current sources. */
export function isWebBuilt(root) {
  const stamp = path.join(root, 'web/dist', STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root, ...SOURCES)
}

/**
 * Builds into a temporary folder and moves the complete client into place. Resolves to the output of a failed build,
 * which keeps the old client; null if it succeeded.
 */
export async function buildWeb(root, node = process.execPath) {
  const hash = hashOf(root, ...SOURCES)
  const built = path.join(root, 'web', `dist.${process.pid}`)
  const complaint = await viteBuild(root, 'web', path.basename(built), node)
  if (complaint !== null) {
    rmSync(built, { recursive: true, force: true })
    return complaint
  }
  compressAssets(path.join(built, 'assets'))
  writeFileSync(path.join(built, STAMP), hash)
  replaceFolder(path.join(root, 'web/dist'), built)
  return null
}

/** Moves a folder to the place of another one. If processes do this at the same time, the last one wins. */
function replaceFolder(old, replacement) {
  for (;;) {
    rmSync(old, { recursive: true, force: true })
    try {
      return renameSync(replacement, old)
    } catch (error) {
      // Another process has put its folder there in between.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    }
  }
}

/** Compresses each file in the forms that browsers accept, so that the server does not need to. */
function compressAssets(folder) {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const bytes = readFileSync(file)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
