/** Builds the web client into web/dist, when its sources changed. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { hashOf, viteBuild } from './vite-build.mjs'

/** Holds the hash of what a build was made of. */
const STAMP = '.sources'

/** Whether web/dist was built of the sources as they are. */
export function isWebBuilt(root) {
  const stamp = path.join(root, 'web/dist', STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root, 'web')
}

/**
 * Builds beside the client that is there, and puts the new one in its place when it is whole. Resolves to what the
 * build said when it failed, which leaves the old one; null when it succeeded.
 */
export async function buildWeb(root, node = process.execPath) {
  const hash = hashOf(root, 'web')
  const built = path.join(root, 'web', `dist.${process.pid}`)
  const complaint = await viteBuild(root, 'web', path.basename(built), node)
  if (complaint !== null) {
    rmSync(built, { recursive: true, force: true })
    return complaint
  }
  const dist = path.join(root, 'web/dist')
  compressAssets(path.join(built, 'assets'))
  writeFileSync(path.join(built, STAMP), hash)
  rmSync(dist, { recursive: true, force: true })
  renameSync(built, dist)
  return null
}

/** Leaves each file in the forms in which browsers take it, so that the server compresses nothing. */
function compressAssets(folder) {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const bytes = readFileSync(file)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
