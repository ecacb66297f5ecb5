import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { completeSettings, readSettings, type Settings } from '#config.ts'
import type { HttpRequest } from '#http/http-types.ts'
import { openPlainHttp } from '#http/server.ts'
import { type TestClock, testClock } from '#lib/clock.ts'
import { systemRandom } from '#lib/secrets.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { collectLog } from '../../test/collected-log.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { makeCertificate, type Pebble, pebbleAbsent, startPebble } from '../../test/pebble.ts'
import { temporaryFolder } from '../../test/storage.ts'
import { openCertificates } from './certificates.ts'
import { plainHttpAnswers } from './plain-http.ts'

const HOST = 'parley.test'

const withoutJitter = { bytes: (count: number) => Buffer.alloc(count) }

let pebble: Promise<Pebble> | undefined
const authority = () => {
  pebble ??= startPebble()
  return pebble
}

type Start = { chat: Chat; folder: string; directory: string; httpPort: number; clock: TestClock }

/** Opens the certificates of a server like a start of it, with its port for http. */
async function open({ chat, folder, directory, httpPort, clock }: Start, changes: Partial<Settings> = {}) {
  const settings = completeSettings({
    ...readSettings({}),
    HTTPS: 'auto',
    EXTERNAL_URL: `https://${HOST}`,
    DATA_DIR: folder,
    ACME_DIRECTORY_URL: directory,
    ...changes,
  })
  const { log, entries, errors } = collectLog()
  const certificates = await openCertificates({ settings, clock, log, random: withoutJitter, db: chat.app.services.db })
  const http = openPlainHttp({ settings, log, random: systemRandom }, plainHttpAnswers(settings, certificates))
  if (httpPort !== 0) await http.listen({ host: '127.0.0.1', port: httpPort })
  return {
    ...{ settings, certificates, entries, errors },
    /** Lets the job start, and waits until nothing is due. */
    async run() {
      certificates.begin()
      await certificates.job.settled()
    },
    async close() {
      await certificates.job.close()
      await http.close()
    },
  }
}

async function start(context: TestContext, changes: Partial<Settings> = {}) {
  const { directory, httpPort } = await authority()
  const begin: Start = {
    chat: await startChat(),
    folder: await temporaryFolder(),
    directory,
    httpPort,
    clock: testClock(),
  }
  const server = await open(begin, changes)
  context.after(() => server.close())
  return { ...server, ...begin, begin }
}

const serialOf = (server: { certificates: { findPair(host: string): { cert: string } | null } }, host = HOST) => {
  const pair = server.certificates.findPair(host)
  return pair && new X509Certificate(pair.cert).serialNumber
}

test('a certificate is issued, kept for the next start, and renewed before it ends', {
  skip: pebbleAbsent,
}, async (context) => {
  const server = await start(context)
  const { folder, clock, begin } = server
  assert.equal(server.certificates.has(HOST), false)

  await server.run()
  const first = serialOf(server)
  await server.close()
  const again = await open(begin)
  context.after(() => again.close())
  const afterRestart = serialOf(again)
  await again.run()
  const { validFromDate, validToDate } = new X509Certificate(again.certificates.findPair(HOST)?.cert ?? '')
  const life = (validToDate.getTime() - validFromDate.getTime()) / 1000
  const renewedAt = validFromDate.getTime() / 1000 + (life * 2) / 3
  await clock.set(renewedAt - 1)
  const beforeRenewal = serialOf(again)
  await clock.advance(2)
  await again.certificates.job.settled()
  const renewed = serialOf(again)

  assert.deepEqual([server.errors, again.errors], [[], []])
  assert.notEqual(first, null)
  assert.deepEqual([afterRestart, beforeRenewal], [first, first])
  assert(renewed !== null && renewed !== first)
  for (const name of ['account.json', 'orders.json', `${HOST}.pem`])
    assert.equal((await stat(join(folder, 'certificates', name))).mode & 0o777, 0o600, name)
})

test('organizations get certificates when they are created, and others never do', {
  skip: pebbleAbsent,
}, async (context) => {
  const server = await start(context, { REALM_HOSTS: { 'chat.other.test': 'design' } })
  const { chat, certificates } = server
  await server.run()

  await chat.app.services.transaction((tx) => createOrganization(tx, 'design', 'Design'))
  certificates.job.wake()
  await certificates.job.settled()

  const hosts = [HOST, 'chat.other.test', `design.${HOST}`, `unknown.${HOST}`, 'elsewhere.test']
  assert.deepEqual(
    hosts.map((host) => certificates.has(host)),
    [true, true, true, false, false],
  )
  assert.deepEqual(server.errors, [])
})

test('a host that DNS does not know is reported once, with what to do, and later attempts get rarer even after a restart', {
  skip: pebbleAbsent,
}, async (context) => {
  const { setNames } = await authority()
  const server = await start(context)
  const { clock, begin } = server
  await setNames(false)
  context.after(() => setNames(true))

  await server.run()
  await clock.advance(60)
  await server.certificates.job.settled()
  await server.close()
  const again = await open(begin)
  context.after(() => again.close())
  await again.run()
  const attempts = again.entries.length
  await setNames(true)
  await clock.advance(301)
  await again.certificates.job.settled()

  assert.equal(server.errors.length, 1)
  assert.match(
    String(server.errors[0]?.message),
    /^There is no certificate for parley\.test, so browsers cannot connect to it\. DNS has no address for parley\.test: create an A or AAAA record that leads to this server\. The next attempt is at /,
  )
  assert.equal(server.errors[0]?.['problem'], 'dns')
  assert.equal(attempts, 0)
  assert.equal(again.certificates.has(HOST), true)
  assert.equal(again.certificates.job.history().failingSince, null)
})

test('a host that fails is tried again after growing pauses, which the other hosts do not have', {
  skip: pebbleAbsent,
}, async (context) => {
  const broken = 'broken.test'
  await (await authority()).breakName(broken)
  const server = await start(context, { REALM_HOSTS: { [broken]: 'design' } })
  const { chat, certificates, clock, folder } = server
  clock.freeze(true)
  const pauses: number[] = []
  const failures = async () =>
    JSON.parse(await readFile(join(folder, 'certificates/orders.json'), 'utf8')).hosts[broken]

  await server.run()
  await chat.app.services.transaction((tx) => createOrganization(tx, 'new', 'New'))
  certificates.job.wake()
  await certificates.job.settled()
  for (let count = 1; count <= 7; count++) {
    const failed = await failures()
    assert.equal(failed.failures, count)
    const pause = failed.nextAt - clock.now()
    pauses.push(pause)
    await clock.advance(pause - 1)
    await certificates.job.settled()
    assert.equal((await failures()).failures, count)
    await clock.advance(1)
    await certificates.job.settled()
  }

  assert.deepEqual(pauses, [60, 300, 1200, 3600, 14_400, 43_200, 43_200])
  assert.deepEqual(
    [HOST, `new.${HOST}`, broken].map((host) => certificates.has(host)),
    [true, true, false],
  )
  assert.deepEqual(
    server.errors.map(({ host, problem }) => [host, problem]),
    [[broken, 'dns']],
  )
})

test('in one week, 40 hosts of organizations get a first certificate, and hosts of settings always do', {
  skip: pebbleAbsent,
}, async (context) => {
  const { directory, httpPort } = await authority()
  const [chat, folder, clock] = [await startChat(), await temporaryFolder(), testClock()]
  clock.freeze(true)
  for (const name of ['first', 'second']) await chat.organization(name)
  const orders = { pausedUntil: 0, firstOrders: Array(39).fill(clock.now() - 86_400), hosts: {} }
  await mkdir(join(folder, 'certificates'))
  await writeFile(join(folder, 'certificates/orders.json'), JSON.stringify(orders))
  const server = await open({ chat, folder, directory, httpPort, clock })
  context.after(() => server.close())
  const found = () => [HOST, `first.${HOST}`, `second.${HOST}`].map((host) => server.certificates.has(host))

  await server.run()
  const atOnce = found()
  await clock.advance(6 * 86_400 - 1)
  await server.certificates.job.settled()
  const before = found()
  await clock.advance(1)
  await server.certificates.job.settled()

  assert.deepEqual(
    [atOnce, before, found()],
    [
      [true, true, false],
      [true, true, false],
      [true, true, true],
    ],
  )
  assert.deepEqual(server.errors, [])
})

test('a port 80 that the authority does not reach, and another server there, are reported differently', {
  skip: pebbleAbsent,
}, async (context) => {
  const { directory, httpPort } = await authority()
  const begin = { chat: await startChat(), folder: await temporaryFolder(), directory, httpPort: 0, clock: testClock() }
  const closed = await open(begin)
  await closed.run()
  await closed.close()
  const other = createServer((_request, response) => response.end('It works!')).listen(httpPort, '127.0.0.1')
  await once(other, 'listening')
  context.after(() => other.close())
  const elsewhere = await open({ ...begin, folder: await temporaryFolder() })
  await elsewhere.run()
  await elsewhere.close()

  assert.match(String(closed.errors[0]?.message), /cannot reach http:\/\/parley\.test\/: lead port 80 /)
  assert.match(String(elsewhere.errors[0]?.message), /Another server answers at http:\/\/parley\.test\//)
})

test('an authority that is away, and one that limits orders, are left alone for as long as they want', async (context) => {
  const fake = createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '7200', 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' }))
  }).listen(0, '127.0.0.1')
  await once(fake, 'listening')
  const directory = `http://127.0.0.1:${(fake.address() as AddressInfo).port}/dir`
  const clock = testClock()
  clock.freeze(true)
  const chat = await startChat()
  await chat.organization('design')
  const begin = { chat, folder: await temporaryFolder(), directory, httpPort: 0, clock }
  const limited = await open(begin)
  context.after(() => limited.close())
  const now = clock.now()

  await limited.run()
  const { pausedUntil } = JSON.parse(await readFile(join(begin.folder, 'certificates/orders.json'), 'utf8'))
  fake.close()
  fake.closeAllConnections()
  await clock.advance(7200)
  await limited.certificates.job.settled()

  assert.equal(pausedUntil, now + 7200)
  assert.deepEqual(
    limited.errors.map(({ host, problem }) => [host, problem]),
    [
      [HOST, 'rateLimited'],
      [HOST, 'ECONNREFUSED'],
    ],
  )
  assert.match(String(limited.errors[1]?.message), /cannot be reached or does not work: check ACME_DIRECTORY_URL/)
  assert.equal(limited.certificates.job.history().failingSince, now)
})

test('a server that is killed during an order pauses before the next one', { skip: pebbleAbsent }, async (context) => {
  const { directory, httpPort } = await authority()
  const clock = testClock()
  clock.freeze(true)
  const begin = { chat: await startChat(), folder: await temporaryFolder(), directory, httpPort, clock }
  const { server: silent, port } = await listenSilently()
  context.after(() => silent.close())
  const killed = await open({ ...begin, httpPort: 0, directory: `http://127.0.0.1:${port}/dir` })
  killed.certificates.begin()
  const [connection] = await once(silent, 'connection')

  const next = await open(begin)
  context.after(() => next.close())
  await next.run()
  const isOrdered = next.certificates.has(HOST)
  await clock.advance(61)
  await next.certificates.job.settled()

  assert.equal(isOrdered, false)
  assert.equal(next.certificates.has(HOST), true)
  connection.destroy()
  await killed.close()
})

test('beside a certificate of the operator, browsers are only sent to its hosts', { skip: pebbleAbsent }, async () => {
  const folder = await temporaryFolder()
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await makeCertificate(files, { names: [HOST, `*.${HOST}`] })
  const begin = { chat: await startChat(), folder, directory: 'https://unused.test', httpPort: 0, clock: testClock() }
  const { certificates, settings } = await open(begin, { HTTPS: 'off', HTTPS_CERT: files.cert, HTTPS_KEY: files.key })

  const answers = plainHttpAnswers(settings, certificates)
  const locations = [HOST, `design.${HOST}:80`, 'elsewhere.test', `a.b.${HOST}`, '192.0.2.1', '[2001:db8::1]:80'].map(
    (host) => answers({ method: 'GET', path: '/login/', rawQuery: '', host } as HttpRequest).headers['location'],
  )

  const own = `https://${HOST}/login/`
  assert.deepEqual(locations, [own, `https://design.${HOST}/login/`, own, own, own, own])
})

/** Listens on a port whose connections get no answer. */
async function listenSilently() {
  const server = process.getBuiltinModule('node:net').createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

test('damaged files are reported and replaced', { skip: pebbleAbsent }, async (context) => {
  const server = await start(context)
  const { folder, begin } = server
  await server.run()
  const first = serialOf(server)
  await server.close()
  for (const name of [`${HOST}.pem`, 'account.json']) {
    const path = join(folder, 'certificates', name)
    const text = await readFile(path, 'utf8')
    // The secret number of a key begins here.
    const at = text.indexOf('KEY-----') + 60
    await writeFile(path, text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1))
  }
  await writeFile(join(folder, 'certificates/orders.json'), '{"pausedUntil":')

  const again = await open(begin)
  context.after(() => again.close())
  const isServed = again.certificates.has(HOST)
  await again.run()

  assert.equal(isServed, false)
  assert.deepEqual(
    again.errors.map(({ message, problem }) => problem ?? message),
    [
      'The record of orders is damaged: a new one begins',
      'A stored certificate is damaged: another one is ordered',
      'The account at the certificate authority is damaged: it gets another one',
    ],
  )
  assert.notEqual(serialOf(again), first)
})

test('http answers the authority, sends browsers to https, and refuses programs', {
  skip: pebbleAbsent,
}, async (context) => {
  const server = await start(context)
  const { httpPort } = server.begin
  const ask = async (path: string, init: RequestInit & { host?: string } = {}) => {
    const response = await fetch(`http://127.0.0.1:${httpPort}${path}`, { redirect: 'manual', ...init })
    return [response.status, response.headers.get('location'), response.headers.get('strict-transport-security')]
  }
  const before = await ask('/')
  await server.run()

  assert.deepEqual(before, [503, null, null])
  assert.deepEqual(await ask('/.well-known/acme-challenge/unknown'), [404, null, null])
  assert.equal((await ask('/api/v1/server_settings'))[0], 403)
  assert.equal((await ask('/json/messages'))[0], 403)
  assert.equal((await ask('/login/', { method: 'POST', body: 'password=x' }))[0], 403)
  const { request } = process.getBuiltinModule('node:http')
  const redirected = request({
    port: httpPort,
    host: '127.0.0.1',
    path: '/login/?next=%2F',
    headers: { host: `${HOST}:80` },
  })
  redirected.end()
  const [response] = await once(redirected, 'response')
  response.resume()
  assert.deepEqual([response.statusCode, response.headers.location], [301, `https://${HOST}/login/?next=%2F`])
})
