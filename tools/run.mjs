/**
 * Runs a TypeScript file of this project on the Node that package.json pins, after installing what is missing: `node
 * tools/run.mjs <script.ts> [arguments]`. It is plain JavaScript, because any Node from 20 on starts it.
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

/** Ends the launcher with a message on standard error. */
function giveUp(message) {
  process.stderr.write(`parley: ${message}\n`)
  process.exit(1)
}

/** Returns the packages of an npm lock file by their folder; null if the file is missing. */
function packagesIn(lockFile) {
  const file = path.join(root, lockFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : null
}

/**
 * The packages that a script needs: those that run the server (`dependencies` of package.json), also those with which it
 * and the web client are built (`devDependencies`), or also those of tools/development, for tests, checks and benches.
 * Each with the options with which npm installs them.
 */
const RUN = ['--omit=dev', '--workspaces=false']
const BUILD = ['--include=dev', '--workspaces=false']
const DEVELOP = ['--include=dev']

/**
 * Returns whether node_modules has the packages of package-lock.json, according to the record that npm writes at the end
 * of an install.
 */
function isInstalled(needed) {
  const installed = packagesIn('node_modules/.package-lock.json')
  if (installed === null) return false
  const locked = packagesIn('package-lock.json')
  // Their own dependencies were installed with them.
  const toBuild = needed === BUILD ? Object.keys(locked[''].devDependencies) : []
  if (!toBuild.every((name) => installed[`node_modules/${name}`])) return false
  return Object.entries(locked).every(([folder, wanted]) => {
    if (wanted.link || !folder.startsWith('node_modules/')) return true
    const found = installed[folder]
    if (found) return found.version === wanted.version && found.integrity === wanted.integrity
    return wanted.optional || wanted.devOptional || (wanted.dev && needed !== DEVELOP)
  })
}

/** Ends the child when npm, which started this process, has died without passing on a signal. */
function endWithParent(child, parent) {
  if (process.ppid !== parent) child.kill('SIGTERM')
}

/** Runs a command to its end, and passes on the signals that this process receives. */
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

/** Ends this process like the other one: with its exit code, or by its signal. */
function endLike({ code, signal }) {
  process.exitCode = signal ? 128 + constants.signals[signal] : code
  if (signal) process.kill(process.pid, signal)
}

async function install(needed) {
  // A developer keeps the packages for tests.
  const isForTests = packagesIn('node_modules/.package-lock.json')?.['node_modules/typescript'] !== undefined
  process.stderr.write('parley: installing missing packages (a minute or so, once) ...\n')
  const byNpm = /npm-cli\.c?js$/.test(process.env.npm_execpath || '')
  const npm = byNpm ? [process.execPath, process.env.npm_execpath] : ['npm']
  const args = ['ci', '--no-fund', '--no-audit', '--loglevel=error', ...(isForTests ? DEVELOP : needed)]
  const end = await run(npm[0], [...npm.slice(1), ...args], {
    cwd: root,
    // The output of npm must not be mixed with that of the requested command.
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: !byNpm && onWindows,
  })
  if (end.signal) endLike(end)
  if (end.code !== 0) giveUp('`npm ci` failed; see its output above.')
}

/** Reports a build while it runs; `otherwise` describes the consequence of a failure. */
async function prepare(what, build, otherwise) {
  process.stderr.write(`parley: building the ${what} ...`)
  const startedAt = performance.now()
  const complaint = await build(root, pinnedNode)
  if (complaint === null) process.stderr.write(` done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
  else process.stderr.write(` failed; ${otherwise}.\n${complaint}\n`)
}

/**
 * Returns whether the script may replace this process, which would otherwise stay in memory: only if the pinned Node is
 * known to run, and no npm is waiting that may die without passing on a signal.
 */
function mayBecomeScript() {
  const isPinned = realpathSync(process.execPath) === realpathSync(pinnedNode)
  return isPinned && process.execve !== undefined && process.env.npm_lifecycle_event === undefined
}

/** Returns whether the script is the server, rather than one of the commands. */
function startsServer(script, [word]) {
  return script === 'server/main.ts' || (script === 'server/parley.ts' && (word === undefined || word === 'start'))
}

async function start(script, args) {
  const isServer = script.startsWith('server/')
  const built = isServer ? builtScript(root, script) : script
  const lacksWeb = startsServer(script, args) && !isWebBuilt(root)
  const builds = built === null || lacksWeb || script === 'tools/build.ts'
  const needed = builds ? BUILD : isServer ? RUN : DEVELOP
  if (!isInstalled(needed)) await install(needed)
  if (!existsSync(pinnedNode)) {
    giveUp(
      'npm skipped the install scripts, so the pinned Node is missing. Run `npm rebuild --ignore-scripts=false` once.',
    )
  }

  if (lacksWeb) await prepare('web client', buildWeb, 'the server starts with the previous one, if any')
  if (built === null) await prepare('server', buildServer, 'it starts from its sources, more slowly')
  const file = path.resolve(root, built ?? builtScript(root, script) ?? script)

  const flags = isServer ? serverFlags : []
  const env = {
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/compile'),
    ...(isServer && serverEnvironment),
    ...process.env,
  }
  if (mayBecomeScript()) process.execve(pinnedNode, [pinnedNode, ...flags, file, ...args], env)
  const end = await run(pinnedNode, [...flags, '--import', attach, file, ...args], {
    // The channel closes whenever this process dies, to which attach.mjs reacts.
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
