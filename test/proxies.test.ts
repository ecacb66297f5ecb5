import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import * as http from 'node:http'
import { createServer, type IncomingMessage } from 'node:http'
import * as https from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { freePort } from './free-port.ts'
import { type Body, type Person, startChat } from './harness.ts'
import { makeCertificate } from './pebble.ts'
import { temporaryFolder } from './storage.ts'

// The recipes in deploy/proxies with the real programs. Only addresses, ports and paths are replaced.

const HOST = 'chat.example.com'

type Ports = { https: number; http: number; upstream: number }
type Files = { folder: string; cert: string; key: string; all: string }

type Recipe = {
  file: string
  program: string
  /** Turns the recipe into a whole configuration for the test. */
  adapt(recipe: string, ports: Ports, files: Files): string
  start(path: string, files: Files): string[]
}

const RECIPES: Record<string, Recipe> = {
  nginx: {
    file: 'nginx.conf',
    program: '/usr/sbin/nginx',
    adapt: (recipe, { https, http }, { folder, cert, key }) => `
      daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
        ${recipe
          .replace('listen 443', `listen 127.0.0.1:${https}`)
          .replace('listen 80', `listen 127.0.0.1:${http}`)
          .replace(/ssl_certificate \S+;/, `ssl_certificate ${cert};`)
          .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`)}
      }`,
    start: (path, { folder }) => ['-p', folder, '-e', join(folder, 'error.log'), '-c', path],
  },
  Caddy: {
    file: 'Caddyfile',
    program: '/usr/bin/caddy',
    adapt: (recipe, { https, http }, { cert, key }) =>
      `{\n\tadmin off\n\tauto_https off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${recipe.replace(
        '\trequest_body',
        `\ttls ${cert} ${key}\n\tbind 127.0.0.1\n\trequest_body`,
      )}`,
    start: (path) => ['run', '--config', path, '--adapter', 'caddyfile'],
  },
  HAProxy: {
    file: 'haproxy.cfg',
    program: '/usr/sbin/haproxy',
    adapt: (recipe, { https, http }, { all }) =>
      recipe
        .replace('bind :443', `bind 127.0.0.1:${https}`)
        .replace('bind :80', `bind 127.0.0.1:${http}`)
        .replace(/crt \S+/, `crt ${all}`)
        .replace(/maxconn \d+/, 'maxconn 100'),
    start: (path) => ['-db', '-f', path],
  },
  Apache: {
    file: 'apache.conf',
    program: '/usr/sbin/apache2',
    adapt: (recipe, { https, http }, { folder, cert, key }) => {
      const modules = [
        'mpm_event',
        'authz_core',
        'alias',
        'headers',
        'proxy',
        'proxy_http',
        'ssl',
        'socache_shmcb',
        'http2',
      ]
      return [
        `ServerRoot ${folder}`,
        `PidFile ${folder}/apache.pid`,
        `DefaultRuntimeDir ${folder}`,
        `ErrorLog ${folder}/error.log`,
        'ServerName localhost',
        ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
        ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
        `Listen 127.0.0.1:${https}`,
        `Listen 127.0.0.1:${http}`,
        recipe
          .replace('*:443', `*:${https}`)
          .replace('*:80', `*:${http}`)
          .replace(/SSLCertificateFile \S+/, `SSLCertificateFile ${cert}`)
          .replace(/SSLCertificateKeyFile \S+/, `SSLCertificateKeyFile ${key}`),
      ].join('\n')
    },
    start: (path) => ['-X', '-f', path],
  },
}

type Answer = { status: number; headers: IncomingMessage['headers']; bytes: Buffer; json(): Body }

type Sending = { method?: string; host?: string; headers?: Record<string, string>; body?: Buffer | string }

/** Sends a request from 127.0.0.2, so that the client has another address than the proxy. */
function send(port: number, ca: Buffer | null, path: string, options: Sending = {}): Promise<Answer> {
  const { method = 'GET', host = HOST, headers = {}, body } = options
  const given = { host: '127.0.0.1', localAddress: '127.0.0.2', port, method, path, headers: { ...headers, host } }
  return new Promise((resolve, reject) => {
    const asked = ca === null ? http.request(given) : https.request({ ...given, ca, servername: host, agent: false })
    asked.on('error', reject).on('response', async (response) => {
      const pieces: Buffer[] = []
      for await (const piece of response) pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, bytes, json: () => JSON.parse(bytes.toString()) })
    })
    asked.end(body)
  })
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Starts a server, and the proxy in front of it. */
async function startBehind(context: TestContext, { file, program, adapt, start }: Recipe) {
  const folder = await temporaryFolder()
  const files = { folder, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), all: join(folder, 'all.pem') }
  await makeCertificate(files, { names: [HOST, `*.${HOST}`] })
  await writeFile(files.all, (await readFile(files.cert, 'utf8')) + (await readFile(files.key, 'utf8')))
  const chat = await startChat({
    settings: { EXTERNAL_URL: `https://${HOST}`, TRUSTED_PROXIES: '127.0.0.1' },
    pages:
      () =>
      ({ path, remoteAddress, headers }) =>
        // The second one counts with TRUST_X_REAL_IP.
        path === '/address' ? { status: 200, headers: {}, body: `${remoteAddress} ${headers['x-real-ip']}` } : null,
  })
  const ports = { https: await freePort(), http: await freePort(), upstream: await freePort() }
  await chat.app.http.listen({ host: '127.0.0.1', port: ports.upstream })
  const recipe = await readFile(new URL(`../deploy/proxies/${file}`, import.meta.url), 'utf8')
  const path = join(folder, file)
  await writeFile(path, adapt(recipe.replaceAll('127.0.0.1:9991', `127.0.0.1:${ports.upstream}`), ports, files))
  const child = spawn(program, start(path, files), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => chunks.push(text))
  const exited = once(child, 'exit')
  context.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  while (!(await isListening(ports.https))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${Buffer.concat(chunks)}`)
    await sleep(20)
  }
  const ca = await readFile(files.cert)
  return { chat, ports, ca, call: (path: string, options?: Sending) => send(ports.https, ca, path, options) }
}

const authorizationOf = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`

/** A multipart form with one file. */
function formWith(bytes: Buffer): { body: Buffer; type: string } {
  const head = '--limit\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
  return {
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--limit--\r\n')]),
    type: 'multipart/form-data; boundary=limit',
  }
}

for (const [name, recipe] of Object.entries(RECIPES)) {
  const skip = !existsSync(recipe.program) && `${recipe.program} is absent`

  test(`behind ${name}, polls, uploads, ranges, addresses and hosts work, and http leads to https`, {
    skip,
  }, async (context) => {
    const { chat, ports, ca, call } = await startBehind(context, recipe)
    await chat.organization('design')
    const ben = await chat.user('ben')
    const headers = { authorization: authorizationOf(ben), 'content-type': 'application/x-www-form-urlencoded' }
    const post = (path: string, body: string) => call(`/api/v1${path}`, { method: 'POST', headers, body })

    const queue = (await post('/register', 'event_types=["message"]')).json()
    const waiting = call(`/api/v1/events?queue_id=${queue['queue_id']}&last_event_id=-1`, { headers })
    await post('/messages', `type=private&to=[${ben.id}]&content=hi`)
    assert.equal((await waiting).json()['events'][0].message.content, 'hi')

    const content = Buffer.alloc(25 * 1024 * 1024 - 1, 'parley')
    const { body, type } = formWith(content)
    const uploaded = await call('/api/v1/user_uploads', {
      ...{ method: 'POST', body },
      headers: { authorization: headers.authorization, 'content-type': type, 'content-length': `${body.length}` },
    })
    assert.equal(uploaded.status, 200)
    const { url } = (await call(`/api/v1${uploaded.json()['url']}`, { headers })).json()
    const range = await call(String(url), { headers: { range: 'bytes=1000-1999' } })
    assert.equal(range.status, 206)
    assert.deepEqual(range.bytes, content.subarray(1000, 2000))

    const forged = { 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '203.0.113.66', forwarded: 'for=203.0.113.66' }
    assert.equal((await call('/address', { headers: forged })).bytes.toString(), '127.0.0.2 127.0.0.2')
    assert.equal((await call('/address', { headers: { cookie: `a=${'b'.repeat(7000)}` } })).status, 200)
    const settings = await call('/api/v1/server_settings', { host: `design.${HOST}` })
    assert.equal(settings.json()['realm_url'], `https://design.${HOST}`)

    const plain = (path: string, options?: Sending) => send(ports.http, null, path, options)
    const redirected = await plain('/login/?next=%2F')
    assert.deepEqual([redirected.status, redirected.headers.location], [301, `https://${HOST}/login/?next=%2F`])
    assert.equal((await plain('/api/v1/messages', { method: 'POST', headers })).status, 403)
    const socket = tls.connect({
      ...{ port: ports.https, host: '127.0.0.1', ca, servername: HOST },
      ALPNProtocols: ['h2'],
    })
    await once(socket, 'secureConnect')
    assert.equal(socket.alpnProtocol, 'h2')
    socket.destroy()

    await chat.app.http.close()
    const away = await call('/address')
    assert([502, 503, 504].includes(away.status), `${away.status} while the server is away`)
    const restarted = createServer((_request, response) => response.end('back')).listen(ports.upstream, '127.0.0.1')
    await once(restarted, 'listening')
    assert.equal((await call('/address')).bytes.toString(), 'back')
    restarted.close()
    restarted.closeAllConnections()
  })
}
