import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Attribute, Change, Client } from 'ldapts'
import type { z } from 'zod'
import { noSignInFile, operatorDirectory, resolveDirectory, type SignInFile } from '#lib/sign-in-file.ts'
import { freePort } from './free-port.ts'

// A real OpenLDAP server on loopback, with a certificate of its own, whose entries tests change.

const PROGRAM = '/usr/sbin/slapd'
const SCHEMAS = '/etc/ldap/schema'
const MODULES = '/usr/lib/ldap'

const OPENSSL = '/usr/bin/openssl'

/** The reason to skip the tests of directories; false if they can run. */
export const slapdAbsent =
  ![PROGRAM, SCHEMAS, OPENSSL].every((path) => existsSync(path)) &&
  `one of ${PROGRAM}, ${SCHEMAS} and ${OPENSSL} is absent: install the packages slapd and openssl`

export const BASE = 'dc=example,dc=com'
const ADMIN = `cn=admin,${BASE}`
const ADMIN_PASSWORD = 'secret of the directory'

type Entry = Record<string, string | string[] | Buffer>

export type Slapd = {
  readonly port: number
  readonly securePort: number
  readonly caFile: string
  /** Adds a person, whose password is `password of NAME` unless another is given. An empty list is no attribute. */
  addPerson(name: string, changes?: Entry): Promise<void>
  addGroup(name: string, members: readonly string[]): Promise<void>
  /** Replaces attributes of a person; an empty list removes one. */
  change(name: string, changes: Record<string, string[] | Buffer[]>): Promise<void>
  remove(name: string): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  /** Returns the setting SIGN_IN_FILE with this directory, which has the id `corp`. */
  signInFile(changes?: Partial<z.input<typeof operatorDirectory>>): SignInFile
}

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened) await close()
})

const dnOf = (name: string) => `uid=${name},ou=people,${BASE}`

export async function startSlapd(): Promise<Slapd> {
  const folder = await mkdtemp(join(tmpdir(), 'slapd-'))
  const [port, securePort] = [await freePort(), await freePort()]
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await promisify(execFile)(OPENSSL, [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '36500'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert],
  ])
  await mkdir(join(folder, 'data'))
  const configuration = join(folder, 'slapd.conf')
  await writeFile(
    configuration,
    [
      ...['core', 'cosine', 'inetorgperson'].map((name) => `include ${SCHEMAS}/${name}.schema`),
      `modulepath ${MODULES}`,
      'moduleload back_mdb',
      'moduleload memberof',
      `TLSCertificateFile ${cert}`,
      `TLSCertificateKeyFile ${key}`,
      // Servers that accept a bind without a password make its check by the client necessary.
      'allow bind_anon_dn bind_anon_cred',
      'database mdb',
      `suffix "${BASE}"`,
      `rootdn "${ADMIN}"`,
      `rootpw "${ADMIN_PASSWORD}"`,
      `directory ${join(folder, 'data')}`,
      'overlay memberof',
      'access to attrs=userPassword by anonymous auth by * none',
      'access to * by * read',
      '',
    ].join('\n'),
  )
  let stopServer = async () => {}

  async function start() {
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`
    const child = spawn(PROGRAM, ['-f', configuration, '-h', urls, '-d', '0'], { stdio: 'ignore' })
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    stopServer = async () => {
      child.kill('SIGTERM')
      await exited
      stopServer = async () => {}
    }
    while (!((await isListening(port)) && (await isListening(securePort)))) {
      if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}`)
      await sleep(20)
    }
  }

  async function asAdmin<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ url: `ldap://127.0.0.1:${port}` })
    await client.bind(ADMIN, ADMIN_PASSWORD)
    try {
      return await work(client)
    } finally {
      await client.unbind()
    }
  }

  const add = (dn: string, entry: Entry) =>
    asAdmin((client) =>
      client.add(
        dn,
        Object.entries(entry).flatMap(([type, value]) => {
          const values = [value].flat() as string[]
          return values.length === 0 ? [] : [new Attribute({ type, values })]
        }),
      ),
    )

  await start()
  opened.push(async () => {
    await stopServer()
    await rm(folder, { recursive: true, force: true })
  })
  await add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' })
  for (const ou of ['people', 'groups']) await add(`ou=${ou},${BASE}`, { objectClass: 'organizationalUnit', ou })

  return {
    port,
    securePort,
    caFile: cert,
    addPerson: (name, changes = {}) =>
      add(dnOf(name), {
        objectClass: 'inetOrgPerson',
        cn: `${name} of the directory`,
        sn: name,
        mail: `${name}@example.com`,
        userPassword: `password of ${name}`,
        ...changes,
      }),
    addGroup: (name, members) =>
      add(`cn=${name},ou=groups,${BASE}`, { objectClass: 'groupOfNames', member: members.map(dnOf) }),
    change: (name, changes) =>
      asAdmin((client) =>
        client.modify(
          dnOf(name),
          Object.entries(changes).map(
            ([type, values]) => new Change({ operation: 'replace', modification: new Attribute({ type, values }) }),
          ),
        ),
      ),
    remove: (name) => asAdmin((client) => client.del(dnOf(name))),
    stop: () => stopServer(),
    start,
    signInFile(changes = {}) {
      const declared = operatorDirectory.parse({
        id: 'corp',
        name: 'Example directory',
        url: `ldap://localhost:${port}`,
        start_tls: true,
        ca_file: cert,
        bind_dn: ADMIN,
        bind_password: ADMIN_PASSWORD,
        base_dn: `ou=people,${BASE}`,
        search_filter: '(|(uid={name})(mail={name}))',
        ...changes,
      })
      const problems: string[] = []
      const context = { environment: {}, folder: '.', complain: (problem: string) => void problems.push(problem) }
      const ldap = [resolveDirectory(declared, context)]
      if (problems.length > 0) throw new Error(problems.join('; '))
      return { ...noSignInFile, ldap }
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
  } finally {
    socket.destroy()
  }
}
