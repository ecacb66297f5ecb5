import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

// A real certificate authority (Pebble, the test server of Let's Encrypt) on loopback, with a name server whose answers
// tests change.

const [PEBBLE, NAME_SERVER, OPENSSL] = ['/usr/bin/pebble', '/usr/bin/pebble-challtestsrv', '/usr/bin/openssl']

/** The reason to skip the tests of certificate authorities; false if they can run. */
export const pebbleAbsent =
  ![PEBBLE, NAME_SERVER, OPENSSL].every((path) => existsSync(path)) &&
  `one of ${PEBBLE}, ${NAME_SERVER} and ${OPENSSL} is absent: install the packages pebble and openssl`

export type Pebble = {
  /** The setting ACME_DIRECTORY_URL. */
  readonly directory: string
  /** The file with the certificate of its own https port, for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string
  /** The port on which it looks for the answers of a server, instead of 80. */
  readonly httpPort: number
  /** Returns the root of the issued certificates, in PEM format. */
  findRoot(): Promise<string>
  /** Sets whether all host names lead to this machine, or none exists. */
  setNames(exist: boolean): Promise<void>
  /** Lets the name server fail for one host. */
  breakName(host: string): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

/** Makes a certificate that signs itself, as an operator would. */
export async function makeCertificate(
  { cert, key }: { cert: string; key: string },
  { names, days = 90 }: { names: readonly string[]; days?: number },
): Promise<void> {
  await promisify(execFile)(OPENSSL, [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', `${days}`],
    ...['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`],
    ...['-keyout', key, '-out', cert],
  ])
}

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened) await close()
})

/** Starts the authority, which this process trusts from then on. */
export async function startPebble(): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'pebble-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await makeCertificate({ cert, key }, { names: ['localhost'] })
  const [port, management, httpPort, tlsPort] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const [dns, dnsManagement] = [await freePort(), await freePort()]
  const config = join(folder, 'config.json')
  await writeFile(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${management}`,
        certificate: cert,
        privateKey: key,
        httpPort,
        tlsPort,
        ocspResponderURL: '',
        externalAccountBindingRequired: false,
      },
    }),
  )
  const run = (program: string, given: string[], isReady: () => Promise<unknown>) =>
    startProgram(program, given, isReady, { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' })
  const stopNameServer = await run(
    NAME_SERVER,
    [
      ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${dnsManagement}`, '-defaultIPv6', ''],
      ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
    ],
    () => fetch(`http://127.0.0.1:${dnsManagement}/`),
  )
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), await readFile(cert, 'utf8')])
  let stopAuthority = async () => {}
  async function start() {
    stopAuthority = await run(PEBBLE, ['-config', config, '-dnsserver', `127.0.0.1:${dns}`], () =>
      fetch(`https://localhost:${port}/dir`),
    )
  }
  async function configureDns(path: string, body: Record<string, string>): Promise<void> {
    await fetch(`http://127.0.0.1:${dnsManagement}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  }
  await start()
  opened.push(async () => {
    await stopAuthority()
    await stopNameServer()
    await rm(folder, { recursive: true, force: true })
  })
  return {
    directory: `https://localhost:${port}/dir`,
    caFile: cert,
    httpPort,
    findRoot: async () => (await fetch(`https://localhost:${management}/roots/0`)).text(),
    setNames: (exist) => configureDns('set-default-ipv4', { ip: exist ? '127.0.0.1' : '' }),
    breakName: (host) => configureDns('set-servfail', { host: `${host}.` }),
    stop: () => stopAuthority(),
    start,
  }
}

/** Starts a program, and resolves with a function that stops it once it answers. */
async function startProgram(
  program: string,
  given: string[],
  isReady: () => Promise<unknown>,
  environment: Record<string, string>,
): Promise<() => Promise<void>> {
  const child = spawn(program, given, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...environment } })
  let output = ''
  child.stderr.on('data', (text) => {
    output = (output + text).slice(-2000)
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${output}`)
    const answered = await isReady().then(
      () => true,
      () => false,
    )
    if (answered) break
    await sleep(20)
  }
  return async () => {
    child.kill('SIGTERM')
    await exited
  }
}
