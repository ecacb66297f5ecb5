/** Builds the web client into web/dist, when its sources changed. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { hashOf, viteBuild } from './vite-build.mjs'

/** The folders of the client's sources; it shares rules with the server. */
const SOURCES = ['web', 'server/rules']

/** The file with the hash of the sources of a build. */
const STAMP = '.sources'

/** Returns whether web/dist was built from the current sources. */
export function isWebBuilt(root) {
  return readIfPresent(path.join(root, 'web/dist', STAMP))?.toString() === hashOf(root, ...SOURCES)
}

/** Returns the content of a file of the client; null if it is missing. A concurrent build may remove it at any time. */
function readIfPresent(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return null
  }
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
  compressAssets(path.join(built, 'assets'), path.join(root, 'web/dist/assets'))
  writeFileSync(path.join(built, STAMP), hash)
  replaceFolder(path.join(root, 'web/dist'), built)
  return null
}

/** Moves a folder to the place of another one. If processes do this at the same time, the last one wins. */
function replaceFolder(old, replacement) {
  for (;;) {
    try {
      rmSync(old, { recursive: true, force: true })
      return renameSync(replacement, old)
    } catch (error) {
      // Another process has put its folder there in the meantime.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    }
  }
}

/** Formats that compression does not make smaller. */
const COMPRESSED = /\.(?:woff2|webp|png)$/

/**
 * Compresses each file in the forms that browsers accept, so that the server does not need to. The best compression
 * takes seconds: files of the previous build are used again, since their names contain hashes of their contents.
 */
function compressAssets(folder, previous) {
  for (const name of readdirSync(folder)) {
    if (COMPRESSED.test(name)) continue
    const bytes = readFileSync(path.join(folder, name))
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    const forms = { '.br': () => brotliCompressSync(bytes, { params }), '.gz': () => gzipSync(bytes, { level: 9 }) }
    for (const [ending, compress] of Object.entries(forms)) {
      writeFileSync(path.join(folder, name + ending), readIfPresent(path.join(previous, name + ending)) ?? compress())
    }
  }
}
