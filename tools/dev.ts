/**
 * `npm run dev`: the test server with the sample organization, restarted when a source of the server changes, and the
 * web client with Vite's hot reload. Data stays in .cache/dev until `npm run dev -- --reset`.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type ViteDevServer } from 'vite'
import { buildWeb, isWebBuilt } from './web-build.mjs'

type Account = { email: string; delivery_email: string; password: string; full_name: string }

const root = path.dirname(import.meta.dirname)
const folder = path.join(root, '.cache/dev')
const accountsFile = path.join(folder, 'accounts.json')

const SERVER_PORT = 9992
const CLIENT_PORT = 5173
const server = `http://127.0.0.1:${SERVER_PORT}`

/** The accounts that a link logs in as, by the last part of its address. */
const LOG_INS = ['owner', 'admin', 'moderator', 'alice', 'guest']

/** Starts the server, and again whenever one of its sources changes. */
function startServer(): void {
  const args = ['test-server', '--port', String(SERVER_PORT), '--database', path.join(folder, 'parley.db')]
  const start = () =>
    spawn(process.execPath, [path.join(root, 'server/cli.ts'), ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  let child = start()
  let isStopping = false
  let delay: NodeJS.Timeout | undefined

  const restart = () => {
    const startAgain = () => {
      if (isStopping) return
      console.log('The server starts again.')
      child = start()
    }
    if (child.exitCode !== null || child.signalCode !== null) startAgain()
    else child.once('exit', startAgain).kill('SIGTERM')
  }
  watch(path.join(root, 'server'), { recursive: true }, (_, file) => {
    if (file === null || !/\.ts$/.test(file) || /\.test\.ts$|^dist/.test(file)) return
    clearTimeout(delay)
    delay = setTimeout(restart, 100)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      isStopping = true
      child.once('exit', () => process.exit(0)).kill('SIGTERM')
    })
}

async function untilServerAnswers(): Promise<void> {
  const answers = () =>
    fetch(`${server}/testing/clock`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await answers())) await sleep(100)
}

/** Returns the accounts of the sample organization, which it creates if there is none yet. */
async function sampleAccounts(): Promise<Record<string, Account>> {
  if (existsSync(accountsFile)) return JSON.parse(readFileSync(accountsFile, 'utf8'))
  const created = await fetch(`${server}/testing/organizations`, {
    method: 'POST',
    body: JSON.stringify({ subdomain: '', name: 'Bright Labs', preset: 'sample' }),
  })
  if (!created.ok) throw new Error(`The sample organization was not created: ${await created.text()}`)
  const { users } = (await created.json()) as { users: Record<string, Account> }
  writeFileSync(accountsFile, JSON.stringify(users, null, 2))
  return users
}

/** Logs in at the server and redirects to the client with the cookies of the session. */
async function logIn(account: Account, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = request.headers.host ?? ''
  const page = await ask('GET', '/login/', { host })
  const cookies = page.cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  const form = new URLSearchParams({ email: account.delivery_email, password: account.password, keep: 'on' })
  for (const [, name, value] of page.body.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g))
    form.set(name!, value!)
  const headers = {
    host,
    origin: `http://${host}`,
    cookie: cookies,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const answer = await ask('POST', '/login/', headers, form.toString())
  if (answer.status !== 302) throw new Error(`Logging in failed with status ${answer.status}.`)
  response.writeHead(302, { location: '/', 'set-cookie': [...page.cookies, ...answer.cookies] }).end()
}

type Answer = { status: number; headers: http.IncomingHttpHeaders; cookies: string[]; body: string }

function ask(method: string, target: string, headers: http.OutgoingHttpHeaders, body?: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const request = http.request(`${server}${target}`, { method, headers }, async (response) => {
    const chunks = await response.toArray()
    const cookies = response.headers['set-cookie'] ?? []
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      cookies,
      body: Buffer.concat(chunks).toString(),
    })
  })
  request.on('error', reject).end(body)
  return promise
}

/** Passes a request on to the server, and the response back. */
function forward(request: IncomingMessage, response: ServerResponse): void {
  const onward = http.request(
    `${server}${request.url}`,
    { method: request.method, headers: request.headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  onward.on('error', () => {
    if (!response.headersSent) response.writeHead(502)
    response.end('The server is starting. Reload in a moment.')
  })
  request.pipe(onward)
}

/** Shows the client as Vite serves it where the server would show the built one, and the server's page otherwise. */
async function showPage(vite: ViteDevServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = { ...request.headers, 'accept-encoding': 'identity' }
  const page = await ask('GET', request.url ?? '/', headers)
  const session = /<meta name="csrf-token"[^>]*>\s*<meta name="user-id"[^>]*>/.exec(page.body)?.[0]
  if (page.status !== 200 || session === undefined) {
    const { 'content-length': _, 'transfer-encoding': __, ...kept } = page.headers
    response.writeHead(page.status, kept).end(page.body)
    return
  }
  const index = readFileSync(path.join(root, 'web/index.html'), 'utf8').replace('<head>', `<head>\n${session}`)
  const html = await vite.transformIndexHtml(request.url ?? '/', index)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)
}

/** Returns whether Vite answers the request: for its own files, and for sources of the client. */
function isForVite(url: string): boolean {
  const file = decodeURIComponent(url.split('?')[0]!)
  if (/^\/(?:@|node_modules\/|\.vite\/)/.test(file)) return true
  return /\.[a-z]+$/.test(file) && existsSync(path.join(root, 'web', file))
}

async function startClient(accounts: Record<string, Account>): Promise<void> {
  const vite = await createServer({
    configFile: path.join(root, 'web/vite.config.ts'),
    root: path.join(root, 'web'),
    cacheDir: path.join(folder, 'vite'),
    appType: 'custom',
    server: { port: CLIENT_PORT, strictPort: true },
    plugins: [
      {
        name: 'parley-server',
        configureServer({ middlewares }) {
          middlewares.use((request, response, next) => {
            const url = request.url ?? '/'
            if (isForVite(url)) return next()
            const fail = (error: unknown) => response.writeHead(502).end(String(error))
            const role = /^\/dev\/log-in\/(\w+)$/.exec(url)?.[1]
            const account = role === undefined ? undefined : accounts[role]
            if (account !== undefined) void logIn(account, request, response).catch(fail)
            else if (request.method === 'GET' && request.headers.accept?.includes('text/html'))
              void showPage(vite, request, response).catch(fail)
            else forward(request, response)
          })
        },
      },
    ],
  })
  await vite.listen()
}

if (process.argv.includes('--reset')) rmSync(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
if (!isWebBuilt(root)) await buildWeb(root)
startServer()
await untilServerAnswers()
const accounts = await sampleAccounts()
await startClient(accounts)
const links = LOG_INS.map((role) => {
  const name = `${role} (${accounts[role]?.full_name})`
  return `  ${name.padEnd(32)} http://localhost:${CLIENT_PORT}/dev/log-in/${role}`
})
console.log(`Log in as\n${links.join('\n')}\n\nAPI and mailbox: ${server}. Ctrl-C stops both.`)
