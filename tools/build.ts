import { spawn } from 'node:child_process'
import path from 'node:path'
import { buildServer, builtScript } from './server-build.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

const root = path.dirname(import.meta.dirname)

/** Builds the client into web/dist at each change of its sources, readable and with source maps. */
function watch(): void {
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  const args = ['build', 'web', '--watch', '--minify', 'false', '--sourcemap', '--emptyOutDir']
  const child = spawn(process.execPath, [vite, ...args], { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

/** Builds everything that is stale, like the launcher at a start. */
async function buildAll(): Promise<void> {
  const complaints = [
    isWebBuilt(root) ? null : await buildWeb(root),
    builtScript(root, 'server/main.ts') === null ? await buildServer(root) : null,
  ]
  for (const complaint of complaints) {
    if (complaint === null) continue
    console.error(complaint)
    process.exitCode = 1
  }
}

if (process.argv.includes('--watch')) watch()
else await buildAll()
