/** Builds stale folders with Vite. It is plain JavaScript, because the launcher uses it on any Node. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Returns a hash of the sources of some folders, without tests and builds, and of the packages. */
export function hashOf(root, ...folders) {
  const sources = folders
    .flatMap((folder) => readdirSync(path.join(root, folder), { withFileTypes: true }))
    // Builds are created and removed concurrently.
    .filter(({ name }) => !/^dist(\.|$)/.test(name))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(path.join(entry.parentPath ?? entry.path, entry.name)) : entry))
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
  const hash = createHash('sha256')
  for (const file of [...sources.sort(), 'package-lock.json']) {
    hash.update(`${file}\0`).update(readFileSync(path.join(root, file)))
  }
  return hash.digest('hex')
}

const filesIn = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })

/**
 * Builds a folder into another one inside of it, with the given Node; resolves to the output of a failed build,
 * otherwise null.
 */
export function viteBuild(root, folder, into, node) {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  const args = ['build', folder, '--outDir', into, '--logLevel', 'warn']
  return new Promise((resolve) => {
    const child = spawn(node, [vite, ...args], { cwd: root })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code) => resolve(code === 0 ? null : output))
  })
}
