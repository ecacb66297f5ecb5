import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import tls from 'node:tls'
import { openHttpServer } from '#http/wire/server.ts'
import { systemRandom } from '#lib/secrets.ts'
import { collectLog } from './collected-log.ts'
import { type Body, startChat } from './harness.ts'
import { makeCertificate, pebbleAbsent, startPebble } from './pebble.ts'
import { builtServer } from './processes/built-server.ts'
import { temporaryFolder } from './storage.ts'

const skip = !existsSync('/usr/bin/openssl') && '/usr/bin/openssl is absent: install the package openssl'

const HOST = 'parley.test'

/** Starts a server with an own certificate on a free port. */
async function startWithCertificate() {
  const folder = await temporaryFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await makeCertificate(files, { names: [HOST, `*.${HOST}`], days: 3650 })
  const { log, entries } = collectLog()
  const settings = { EXTERNAL_URL: `https://${HOST}`, HTTPS_CERT: files.cert, HTTPS_KEY: files.key }
  const chat = await startChat({ settings, log })
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  chat.app.https?.certificates.begin()
  return { chat, port, files, folder, entries }
}

/** Connects, and returns the socket after the handshake. */
async function connect(port: number, options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  const socket = tls.connect({ port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

async function namesOn(port: number): Promise<string | undefined> {
  const socket = await connect(port)
  const { subjectaltname } = socket.getPeerCertificate()
  socket.destroy()
  return subjectaltname
}

test('calls and waiting polls work over https, with TLS 1.2 and 1.3 only', { skip }, async () => {
  const { chat, port, files } = await startWithCertificate()
  const ben = await chat.user('ben')
  const agent = new Agent({ ca: await readFile(files.cert), keepAlive: true, maxSockets: 2 })
  const authorization = `Basic ${Buffer.from(`${ben.email}:${ben.apiKey}`).toString('base64')}`
  const call = (method: string, path: string, body = '') =>
    new Promise<{ status?: number; headers: Record<string, unknown>; body: Body }>((resolve, reject) => {
      const headers = { host: HOST, authorization, 'content-type': 'application/x-www-form-urlencoded' }
      const asked = request({
        host: '127.0.0.1',
        port,
        servername: HOST,
        method,
        path: `/api/v1${path}`,
        agent,
        headers,
      })
      asked.on('error', reject).on('response', async (response) => {
        let text = ''
        for await (const piece of response) text += piece
        resolve({ status: response.statusCode as number, headers: response.headers, body: JSON.parse(text) })
      })
      asked.end(body)
    })
  const { body: queue } = await call('POST', '/register', 'event_types=["message"]')

  const waiting = call('GET', `/events?queue_id=${queue.queue_id}&last_event_id=${queue.last_event_id}`)
  const sent = await call('POST', '/messages', `type=private&to=[${ben.id}]&content=hi`)
  const { body, headers } = await waiting
  agent.destroy()

  assert.equal(sent.status, 200)
  assert.equal(body.events[0].message.content, 'hi')
  assert.match(String(headers['strict-transport-security']), /^max-age=31536000/)
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    assert.equal((await connect(port, { minVersion: version, maxVersion: version })).getProtocol(), version)
  await assert.rejects(
    connect(port, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
    /alert protocol version/,
  )
  await chat.app.close()
})

test('a replaced certificate is used without a restart, and a broken one is reported while the old one serves', {
  skip,
}, async () => {
  const { chat, port, files, folder, entries } = await startWithCertificate()
  const before = await namesOn(port)
  const renewed = { cert: join(folder, 'new.pem'), key: join(folder, 'new.key') }
  await makeCertificate(renewed, { names: ['renewed.test'], days: 3650 })
  const lookAgain = async () => {
    await chat.clock.advance(60)
    await chat.app.jobs.certificates?.settled()
  }

  await rename(renewed.cert, files.cert)
  await lookAgain()
  const halfway = await namesOn(port)
  await rename(renewed.key, files.key)
  await lookAgain()
  const after = await namesOn(port)
  const inUse = await readFile(files.cert)
  await writeFile(files.cert, '')
  await lookAgain()
  await lookAgain()
  const afterBroken = await namesOn(port)
  const ends = new X509Certificate(inUse).validToDate.getTime() / 1000
  await chat.clock.set(ends - 15 * 86_400)
  for (let day = 0; day < 16; day += 1) await chat.clock.advance(86_400)

  assert.deepEqual(
    [before, halfway, after, afterBroken],
    [`DNS:${HOST}, DNS:*.${HOST}`, `DNS:${HOST}, DNS:*.${HOST}`, 'DNS:renewed.test', 'DNS:renewed.test'],
  )
  const reasons = entries.flatMap(({ message, reason }) => (/cannot be used/.test(message) ? [reason] : []))
  assert.deepEqual(reasons, [
    'HTTPS_CERT and HTTPS_KEY cannot be used: the key is not that of the certificate',
    'HTTPS_CERT and HTTPS_KEY cannot be used: the certificate is not in PEM format, or damaged',
  ])
  const warnings = entries.filter(({ message }) => /ends soon/.test(message)).length
  assert(warnings >= 13 && warnings <= 15, `${warnings} warnings`)
  assert(entries.some(({ message }) => /has expired: browsers refuse it/.test(message)))
  await chat.app.close()
})

test('an address has as many connections as MAX_CONNECTIONS_PER_ADDRESS, counted before the handshake', {
  skip,
}, async () => {
  const folder = await temporaryFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await makeCertificate(files, { names: [HOST] })
  const pair = { cert: await readFile(files.cert, 'utf8'), key: await readFile(files.key, 'utf8') }
  const { log, entries } = collectLog()
  const server = openHttpServer({
    ...{ log, random: systemRandom, networkOf: () => 'network', maxConnections: 2, timeouts: { lastRequest: 0.02 } },
    dispatch: () => ({ status: 200, headers: {}, body: 'ok' }),
    certificates: { findContext: () => tls.createSecureContext(pair), onDefault: (serve) => serve(pair) },
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  const inHandshake = connectPlain(port, '127.0.0.1')
  const first = await connect(port)

  await assert.rejects(connect(port))
  inHandshake.destroy()
  first.destroy()
  const [second, third] = [await connectInTime(port), await connectInTime(port)]

  assert.deepEqual([second.authorized, third.authorized], [false, false])
  assert(entries.some(({ message }) => message === 'Refused connections: too many from one address'))
  await server.close()
})

/** Connects as soon as the server has noticed that other connections are closed. */
async function connectInTime(port: number): Promise<tls.TLSSocket> {
  for (;;) {
    const socket = await connect(port).catch(() => null)
    if (socket !== null) return socket
  }
}

test('handshakes that fail or stall are ended, and the server stops in time', { skip }, async () => {
  const { chat, port, entries } = await startWithCertificate()
  const silent = connectPlain(port, '127.0.0.1')
  const plain = connectPlain(port, '127.0.0.1')
  plain.on('error', () => {}).end('GET / HTTP/1.1\r\nHost: parley.test\r\n\r\n')
  await once(plain, 'close')

  const ended = once(
    silent.on('error', () => {}),
    'close',
  )
  await chat.app.close()
  await ended

  const failures = entries.filter(({ message }) => message === 'TLS handshake failed')
  assert(failures.length >= 1)
})

test('with HTTPS=auto, a server starts without a certificate, gets one, and has it at the next start', {
  skip: pebbleAbsent,
}, async (context) => {
  const { directory, caFile, httpPort, findRoot } = await startPebble()
  const folder = await temporaryFolder()
  const script = await builtServer('server/main.ts')
  const start = () => {
    const child = spawn(process.execPath, [script], {
      env: {
        ...process.env,
        ...{ HTTPS: 'auto', EXTERNAL_URL: `https://${HOST}:0`, DATA_DIR: folder, PORT: '0', HTTP_PORT: `${httpPort}` },
        ...{ ACME_DIRECTORY_URL: directory, NODE_EXTRA_CA_CERTS: caFile, LISTEN_HOST: '127.0.0.1' },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    context.after(() => child.kill('SIGKILL'))
    return child
  }
  const stop = async (child: ChildProcess) => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }

  const first = start()
  const output = await outputUntil(first, /browsers can connect/)
  await stop(first)
  const again = start()
  const port = Number(/parley\.test:(\d+)/.exec(await outputUntil(again, /listens on .*\n/))?.[1])
  const ca = await findRoot()
  const socket = await connect(port, { ca, rejectUnauthorized: true })
  const unknown = connect(port, { servername: 'unknown.test' })
  await assert.rejects(unknown)
  socket.destroy()
  await stop(again)

  assert.match(
    output,
    /It asks localhost:\d+ for a certificate for parley\.test\. Until then, it refuses https connections\./,
  )
})

/** Returns the standard output of a process as soon as it contains the pattern. */
function outputUntil({ stdout }: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    stdout?.on('data', (piece) => {
      text += piece
      if (pattern.test(text)) resolve(text)
    })
    stdout?.on('end', () => reject(new Error(`The process ended: ${text}`)))
  })
}
