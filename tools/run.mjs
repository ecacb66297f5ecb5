/**
 * Runs a TypeScript file of this project on the Node that package.json pins, after installing what is missing:
 * `node tools/run.mjs <script.ts> [arguments]`. Plain JavaScript, because any Node from 20 on starts it.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildServer, builtScript } from './server-build.mjs'
import { serverEnvironment, serverFlags } from './server-flags.mjs'
import { buildWeb, isWebBuilt } from './web-build.mjs'

const OLDEST_NODE = 20
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP']

const onWindows = process.platform === 'win32'
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const pinnedNode = path.join(root, 'node_modules/node/bin', onWindows ? 'node.exe' : 'node')

/** Ends the launcher with a sentence on standard error. */
function giveUp(message) {
  process.stderr.write(`parley: ${message}\n`)
  process.exit(1)
}

/** The packages of a lock file of npm by their folder; null when there is no such file. */
function packagesIn(lockFile) {
  const file = path.join(root, lockFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : null
}

/** Whether node_modules holds what package-lock.json asks for, by the record that npm writes at the end of an install. */
function isInstalled(withDevelopment) {
  const installed = packagesIn('node_modules/.package-lock.json')
  if (installed === null) return false
  return Object.entries(packagesIn('package-lock.json')).every(([folder, wanted]) => {
    if (folder === '') return true
    const found = installed[folder]
    if (found) return found.version === wanted.version && found.integrity === wanted.integrity
    return wanted.optional || wanted.devOptional || (wanted.dev && !withDevelopment)
  })
}

/** Ends the child when npm, which started this process, died without a chance to pass a signal on. */
function endWithParent(child, parent) {
  if (process.ppid !== parent) child.kill('SIGTERM')
}

/** Runs a command to its end, with the signals that this process receives passed on to it. */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, options)
    const passOn = (signal) => {
      // A terminal sends Ctrl-C to the child as well, and twice may mean "at once" to it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    }
    for (const signal of PASSED_ON) process.on(signal, passOn)
    const watch = process.env.npm_lifecycle_event && setInterval(endWithParent, 1000, child, process.ppid)
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      for (const name of PASSED_ON) process.off(name, passOn)
      resolve({ code, signal })
    })
  })
}

/** Ends this process as the other one ended: with its code, or by its signal. */
function endLike({ code, signal }) {
  process.exitCode = signal ? 128 + constants.signals[signal] : code
  if (signal) process.kill(process.pid, signal)
}

async function install(withDevelopment) {
  process.stderr.write('parley: installing what is missing (a minute or so, once) ...\n')
  const byNpm = /npm-cli\.c?js$/.test(process.env.npm_execpath || '')
  const npm = byNpm ? [process.execPath, process.env.npm_execpath] : ['npm']
  const args = ['ci', '--no-fund', '--no-audit', '--loglevel=error', ...(withDevelopment ? ['--include=dev'] : [])]
  const end = await run(npm[0], [...npm.slice(1), ...args], {
    cwd: root,
    // Nothing of npm belongs in the output of the command that was asked for.
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: !byNpm && onWindows,
  })
  if (end.signal) endLike(end)
  if (end.code !== 0) giveUp('`npm ci` failed; what it said stands above.')
}

/** Tells of a build while it lasts; `otherwise` says what happens where it fails. */
async function prepare(what, build, otherwise) {
  process.stderr.write(`parley: building the ${what} ...`)
  const startedAt = performance.now()
  const complaint = await build(root, pinnedNode)
  if (complaint === null) process.stderr.write(` done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  else process.stderr.write(` failed; ${otherwise}.\n${complaint}\n`)
}

/** The file to run for a script of the server: its built form, which starts sooner, or the source where none can be built. */
async function prepareServer(script) {
  const built = builtScript(root, script)
  if (built !== null) return built
  await prepare('server', buildServer, 'it starts from its sources, more slowly')
  return builtScript(root, script) ?? script
}

/**
 * Whether the script may take the place of this process, which a service then keeps for nothing: where the pinned Node is
 * known to run, and no npm waits that may die without a word.
 */
function mayBecomeScript() {
  const isPinned = realpathSync(process.execPath) === realpathSync(pinnedNode)
  return isPinned && process.execve !== undefined && process.env.npm_lifecycle_event === undefined
}

async function start(script, args) {
  // The server itself runs on what `npm ci --omit=dev` leaves; tools, tests and benches need all.
  const isServer = script.startsWith('server/')
  const withDevelopment = !isServer
  if (!isInstalled(withDevelopment)) await install(withDevelopment)
  if (!existsSync(pinnedNode)) {
    giveUp(
      'npm skipped the install scripts, so the pinned Node is missing. Run `npm rebuild --ignore-scripts=false` once.',
    )
  }

  if (script === 'server/main.ts' && !isWebBuilt(root)) {
    await prepare('web client', buildWeb, 'the server starts with the one that it had, if any')
  }
  const file = path.resolve(root, isServer ? await prepareServer(script) : script)

  const flags = isServer ? serverFlags : []
  const env = {
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compile'),
    ...(isServer && serverEnvironment),
    ...process.env,
  }
  if (mayBecomeScript()) process.execve(pinnedNode, [pinnedNode, ...flags, file, ...args], env)
  const end = await run(pinnedNode, [...flags, '--import', attach, file, ...args], {
    // The channel closes when this process dies, however it dies; attach.mjs listens for that.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  }).catch((error) =>
    giveUp(`the pinned Node does not run here (${error.message}). Remove node_modules and start again.`),
  )
  endLike(end)
}

const attach = new URL('./attach.mjs', import.meta.url).href
const [script, ...args] = process.argv.slice(2)
if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
  giveUp(`needs Node ${OLDEST_NODE} or newer to start; this is ${process.version}. See https://nodejs.org/en/download`)
}
if (!script) giveUp('usage: node tools/run.mjs <script.ts> [arguments]')
start(script, args).catch((error) => giveUp(error.message))
