import { constants } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#lib/clock.ts'
import { explainError, isDiskFull, isLasting, OperatorError } from '#lib/errors.ts'
import {
  commandLine,
  findCollector,
  reportReady,
  restrictFilePermissions,
  returnUnusedMemory,
  startCommand,
} from '#lib/process.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable } from '#storage/storage.ts'
import { requireCompleteRestore } from '#transfer/restore-mark.ts'
import { backUpInProcess, exportInProcess } from '#transfer/run-in-process.ts'
import { issueSetupLink } from '#workflows/set-up-organization.ts'
import type { App } from './app.ts'
import { inspectSettings, listProblems, loadEnvironmentFile, readSettings, servesHttps } from './config.ts'
import { openServer } from './databases.ts'

/** The script of the command line. Both it and this file are built, or neither is. */
const COMMAND_LINE = path.join(import.meta.dirname, `cli${path.extname(import.meta.filename)}`)

/** The exit codes of a start that failed, after unknown arguments, and if a restart fails as well (EX_CONFIG). */
const [FAILED, WRONG_USE, MISCONFIGURED] = [1, 2, 78]

const USAGE = `Usage: ${startCommand()}

Starts the server. It has no options: its settings are environment variables, listed in docs/operating.md.
Commands for operators: ${commandLine('--help')}
`

/** Ends the process with a message for the operator. */
function giveUp(message: string, code: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

/** Listens on the configured address; errors of the operating system are explained. */
async function listen(http: Pick<App['http'], 'listen'>, name: 'PORT' | 'HTTP_PORT'): Promise<{ port: number }> {
  const { LISTEN_HOST: host, [name]: port } = settings
  try {
    return await http.listen({ host, port })
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new OperatorError(
        name === 'PORT'
          ? `Port ${port} is already in use. Choose another: ${settingsFile === null ? startCommand(`PORT=${OTHER_PORT}`) : `PORT=${OTHER_PORT} in ${settingsFile}`}`
          : `Port ${port} is already in use. Stop what uses it, or choose another with HTTP_PORT; with HTTPS=auto, port 80 of EXTERNAL_URL must lead to it.`,
      )
    if (code === 'EACCES' && port < FIRST_FREE_PORT)
      throw new OperatorError(
        `Cannot listen on port ${port}: ports below ${FIRST_FREE_PORT} need a right that this account does not have. ` +
          'In a systemd unit, set AmbientCapabilities=CAP_NET_BIND_SERVICE. Otherwise, run\n' +
          `  sudo setcap cap_net_bind_service=+ep ${process.execPath}\n` +
          `or set ${name} to a higher port, and redirect port ${port} to it (docs/https.md, Ports below 1024).`,
        { isTemporary: false },
      )
    const advice =
      code === 'EADDRNOTAVAIL' || syscall === 'getaddrinfo'
        ? '. LISTEN_HOST must be an address of this machine, such as 0.0.0.0 for all; the name that users type belongs in EXTERNAL_URL'
        : ''
    throw new OperatorError(`Cannot listen on ${host}, port ${port}: ${message}${advice}`, {
      // The address may be there later, or a name server answer.
      isTemporary: code !== 'ENOTFOUND',
      cause: error,
    })
  }
}

/** The port that is proposed if the one of the settings is in use. */
const OTHER_PORT = 9992

/** Lower ports need a right of their own. */
const FIRST_FREE_PORT = 1024

async function start() {
  requireCompleteRestore(settings)
  await using opening = new AsyncDisposableStack()
  const app = opening.use(
    await openServer({
      settings,
      inProcess: (own) => ({
        backUp: backUpInProcess(COMMAND_LINE, own),
        ...(own.DATABASE_URL !== 'memory' && { makeExport: exportInProcess(COMMAND_LINE, own) }),
      }),
    }),
  )
  const { port } = await listen(app.http, 'PORT')
  if (app.https !== null && settings.HTTP_PORT !== 0) await listen(app.https.plainHttp, 'HTTP_PORT')
  await app.mailIn?.listen(settings.MAIL_IN_PORT)
  await app.metrics?.listen()
  app.status.start()
  app.services.health.start()
  if (settings.PORT === 0) settings.EXTERNAL_URL = settings.EXTERNAL_URL.replace(/:0$/, `:${port}`)
  app.https?.certificates.begin()
  opening.move()
  return app
}

/** Returns whether user data crosses a network without encryption. */
function isExposed({ EXTERNAL_URL, LISTEN_HOST }: typeof settings): boolean {
  const { protocol, hostname } = new URL(EXTERNAL_URL)
  return protocol === 'http:' && !(isLoopbackHost(hostname) && isLoopbackHost(LISTEN_HOST))
}

/** Returns a link for setting up the first organization, as soon as the database is available; null if there is none. */
async function findSetupUrl({ services }: App): Promise<string | null> {
  for (;;) {
    try {
      return await services.transaction(issueSetupLink)
    } catch (error) {
      // Reads work, and writes are refused until there is space, as the log reports.
      if (isDiskFull(error)) return null
      if (!isUnavailable(error)) throw error
      await sleep(RETRY_INTERVAL)
    }
  }
}

const isUnavailable = (error: unknown): error is Error =>
  error instanceof DatabaseUnavailable || error instanceof CommitOutcomeUnknown

/** Milliseconds between two attempts to issue a setup link. */
const RETRY_INTERVAL = 1000

const given = process.argv.slice(2)
if (given.length > 0) {
  const wantsHelp = given.every((argument) => argument === '--help' || argument === '-h')
  if (wantsHelp) process.stdout.write(USAGE)
  else process.stderr.write(`Unknown arguments: ${given.join(' ')}\n\n${USAGE}`)
  process.exit(wantsHelp ? 0 : WRONG_USE)
}

restrictFilePermissions()
let settings: ReturnType<typeof readSettings>
let settingsFile: string | null
try {
  settingsFile = loadEnvironmentFile()
  settings = readSettings()
} catch (error) {
  giveUp((error as Error).message, MISCONFIGURED)
}

let app: App | null = null
let isStopping = false
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // Without a handler, the first process of a container would ignore signals while it starts.
    if (app === null) process.exit(128 + constants.signals[signal])
    if (isStopping) return
    isStopping = true
    void app.close().then(
      () => process.exit(),
      () => process.exit(FAILED),
    )
  })
}

app = await start().catch((error: unknown) => {
  const message = isUnavailable(error)
    ? `The database became unavailable during the start: ${error.message}. Check DATABASE_URL and PostgreSQL, and start again`
    : explainError(error)
  if (message === null) throw error
  return giveUp(message, isLasting(error) ? MISCONFIGURED : FAILED)
})

reportReady()
const isBehindProxy = settings.EXTERNAL_URL.startsWith('https:') && !servesHttps(settings)
process.stdout.write(
  isBehindProxy
    ? `Parley listens on ${settings.LISTEN_HOST}, port ${settings.PORT}, for a proxy that serves ${settings.EXTERNAL_URL}\n`
    : `Parley listens on ${settings.EXTERNAL_URL}\n`,
)
let isAnnounced = false
const { hostname } = new URL(settings.EXTERNAL_URL)
const certificates = app.https?.certificates
if (certificates?.has(hostname) === false) {
  process.stdout.write(
    `It asks ${new URL(settings.ACME_DIRECTORY_URL).host} for a certificate for ${hostname}. Until then, it refuses https connections.\n`,
  )
  certificates.onChange(() => {
    if (isAnnounced || !certificates.has(hostname)) return
    isAnnounced = true
    process.stdout.write(`The certificate for ${hostname} is there: browsers can connect.\n`)
  })
}
if (app.mailIn !== null)
  process.stdout.write(`It receives email for ${settings.MAIL_IN_DOMAIN} on port ${settings.MAIL_IN_PORT}\n`)
const setupUrl = await findSetupUrl(app)
if (setupUrl !== null)
  process.stdout.write(
    `There is no organization yet. Set one up in a browser, within a day:\n  ${setupUrl}\n` +
      'or in another terminal:\n' +
      `  ${commandLine('org create --name "Example" --owner-email you@example.com --owner-name "Your Name"')}\n`,
  )
const { problems } = inspectSettings()
if (problems.length > 0) process.stderr.write(`${listProblems(problems)}\n`)
if (isExposed(settings))
  process.stderr.write(
    `${settings.EXTERNAL_URL} is plain http: passwords, sessions and messages can be intercepted. ` +
      'Run a TLS proxy in front of it, and set EXTERNAL_URL to its https address.\n',
  )

// Only the start needs a third of the memory. This collects it, after the first requests.
const collect = findCollector()
if (collect !== null)
  setTimeout(() => {
    collect()
    returnUnusedMemory({ clock: systemClock(), collect })
  }, 100).unref()
