/**
 * Builds the web client into web/dist, when its sources changed. Plain JavaScript, because the launcher uses it on
 * whatever Node there is; the build itself runs on the Node that it is given.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Holds the hash of what a build was made of. */
const STAMP = '.sources'

/** What the client is made of: its own files, and the packages that it and its build take. */
function sourcesOf(root) {
  const inWeb = readdirSync(path.join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('web/dist'))
  return [...inWeb.sort(), 'package-lock.json']
}

function hashOf(root) {
  const hash = createHash('sha256')
  for (const file of sourcesOf(root)) hash.update(`${file}\0`).update(readFileSync(path.join(root, file)))
  return hash.digest('hex')
}

/** Whether web/dist was built of the sources as they are. */
export function isWebBuilt(root) {
  const stamp = path.join(root, 'web/dist', STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root)
}

/**
 * Builds beside the client that is there, and puts the new one in its place when it is whole. Resolves to what the
 * build said when it failed, which leaves the old one; null when it succeeded.
 */
export async function buildWeb(root, node = process.execPath) {
  const hash = hashOf(root)
  const built = path.join(root, 'web', `dist.${process.pid}`)
  const { code, output } = await run(node, root, [
    'build',
    'web',
    '--outDir',
    path.basename(built),
    '--logLevel',
    'warn',
  ])
  if (code !== 0) {
    rmSync(built, { recursive: true, force: true })
    return output
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

function run(node, root, args) {
  return new Promise((resolve) => {
    const child = spawn(node, [path.join(root, 'node_modules/vite/bin/vite.js'), ...args], { cwd: root })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
  })
}
