import { createCipheriv, createDecipheriv, createHmac, type KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import { type BusState, CannotOpenStorage } from '../storage.ts'

/**
 * Messages between the nodes of a database over NATS. A message may be lost, doubled or late. Only nodes of this database
 * with the secret of the installation can read and write one, even if others use the same NATS servers.
 */
export type Bus = {
  isConnected(): boolean
  /** Calls `listener` whenever the connection is lost or restored. */
  onChange(listener: () => void): void
  /**
   * Sends a text to the other nodes that have subscribed to the subject. Without a connection, it is dropped. Returns
   * false if it was dropped, or is longer than the server accepts.
   */
  publish(subject: string, text: string): boolean
  /** Returns a function that ends the subscription. */
  subscribe(subject: string, listener: (text: string) => void): () => void
  /** Resolves when the server has received everything that was sent to it, or after a moment. */
  arrived(): Promise<void>
  state(): BusState
  close(): Promise<void>
}

export type BusOptions = {
  url: string
  secret: () => KeyObject
  /** A name that no other database has. */
  database: string
  random: Random
  log: Log
}

/** The oldest version of NATS servers with which Parley is tested. */
const OLDEST_SERVER = [2, 9] as const

/** The maximum time for connecting, in milliseconds, and the pause before the next attempt. */
const CONNECTING_TIME = 3000
const PAUSE = 500

/** The maximum time, in milliseconds, until the server has received something. */
const ARRIVAL_TIME = 200

/** The maximum time for closing a connection, in milliseconds. */
const CLOSING_TIME = 500

/** The interval of pings in milliseconds. After two pings without an answer, another server is tried. */
const PING_INTERVAL = 2000

/**
 * Connects to NATS. If no server can be reached, this is logged, and the bus connects later. Throws a `CannotOpenStorage`
 * if a server can be reached but not used: it refuses the credentials, say, or is too old.
 */
export async function openBus(options: BusOptions): Promise<Bus> {
  const bus = new NatsBus(options)
  await bus.open()
  return bus
}

type Subject = { listeners: Set<(text: string) => void>; subscription: { unsubscribe(): void } | null }

class NatsBus implements Bus {
  readonly #url: string
  readonly #log: Log
  readonly #seal: Seal
  readonly #prefix: string
  readonly #changeListeners: (() => void)[] = []
  readonly #subjects = new Map<string, Subject>()
  /** The current connection; null until there is one. It reconnects by itself. */
  #connection: NatsConnection | null = null
  #isConnected = false
  #isClosed = false

  constructor({ url, secret, database, random, log }: BusOptions) {
    this.#url = url
    this.#log = log
    const key = (name: string) =>
      createHmac('sha256', secret()).update(`${name} of nodes over NATS, database ${database}`).digest()
    this.#seal = sealWith(key('messages'), random)
    this.#prefix = `parley.${key('subjects').toString('base64url').slice(0, 16)}`
  }

  async open(): Promise<void> {
    try {
      this.#use(await connect(this.#url))
    } catch (error) {
      if (error instanceof CannotOpenStorage) throw error
      this.#log.error(
        { reason: (error as Error).message, servers: hostsOf(this.#url) },
        'No NATS server can be reached. Nodes learn of changes from the database, up to a tenth of a second later. ' +
          'Check NATS_URL, and whether these servers are running and can be reached from here',
      )
      void this.#connectLater()
    }
  }

  isConnected(): boolean {
    return this.#isConnected
  }

  onChange(listener: () => void): void {
    this.#changeListeners.push(listener)
  }

  publish(subject: string, text: string): boolean {
    if (!this.#isConnected || this.#connection === null) return false
    try {
      const name = this.#nameOf(subject)
      this.#connection.publish(name, this.#seal.close(name, text))
      return true
    } catch {
      // The connection was just closed, or the text is longer than the server accepts: nodes read it from the database.
      return false
    }
  }

  subscribe(name: string, listener: (text: string) => void): () => void {
    let subject = this.#subjects.get(name)
    if (subject === undefined) {
      subject = { listeners: new Set(), subscription: null }
      this.#subjects.set(name, subject)
      this.#receive(name, subject)
    }
    const { listeners } = subject
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || this.#subjects.get(name)?.listeners !== listeners) return
      this.#subjects.get(name)?.subscription?.unsubscribe()
      this.#subjects.delete(name)
    }
  }

  async arrived(): Promise<void> {
    if (!this.#isConnected) return
    const flushed = this.#connection?.flush().catch(() => {})
    await Promise.race([flushed, sleep(ARRIVAL_TIME, undefined, { ref: false })])
  }

  state(): BusState {
    const { inMsgs: received = 0, outMsgs: sent = 0 } = this.#connection?.stats() ?? {}
    return { isConnected: this.#isConnected, counts: { received, sent } }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isConnected = false
    // Over a silent connection, the library waits without end.
    const closing = this.#connection?.close()
    await Promise.race([closing, sleep(CLOSING_TIME, undefined, { ref: false })])
  }

  #nameOf(subject: string): string {
    return `${this.#prefix}.${subject}`
  }

  #receive(name: string, subject: Subject): void {
    const fullName = this.#nameOf(name)
    subject.subscription =
      this.#connection?.subscribe(fullName, {
        callback: (error, { data }) => {
          const text = error === null ? this.#seal.open(fullName, data) : null
          if (text !== null) for (const listener of subject.listeners) listener(text)
        },
      }) ?? null
  }

  #use(connection: NatsConnection): void {
    if (this.#isClosed) return void connection.close()
    this.#connection = connection
    for (const [name, subject] of this.#subjects) this.#receive(name, subject)
    this.#change(true)
    void this.#watch(connection)
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' && this.#isConnected) {
        this.#log.error(
          { servers: hostsOf(this.#url) },
          'The connection to NATS was lost. Until it is back, nodes learn of changes from the database, up to a tenth of a ' +
            'second later',
        )
        this.#change(false)
      }
      if (type === 'reconnect' && !this.#isConnected) {
        this.#log.warn({ server: connection.getServer() }, 'The connection to NATS is back')
        this.#change(true)
      }
    }
    if (this.#isClosed || this.#connection !== connection) return
    this.#connection = null
    this.#change(false)
    await this.#connectLater()
  }

  async #connectLater(): Promise<void> {
    while (!this.#isClosed) {
      await sleep(PAUSE, undefined, { ref: false })
      const connection = await connect(this.#url).catch(() => null)
      if (connection === null) continue
      this.#log.warn({ server: connection.getServer() }, 'The connection to NATS is back')
      return this.#use(connection)
    }
  }

  #change(isConnected: boolean): void {
    this.#isConnected = isConnected
    if (!this.#isClosed) for (const listener of this.#changeListeners) listener()
  }
}

/** Returns the hosts of the servers in NATS_URL, without credentials. */
const hostsOf = (url: string): string[] => serversOf(url).map(({ hostname, port }) => `${hostname}:${port || '4222'}`)

const serversOf = (url: string) => url.split(',').map((server) => new URL(server.trim()))

export type ServerReport = {
  host: string
  /** Null if the server cannot be used. */
  version: string | null
  /** Null if it can be used. A `CannotOpenStorage` says what to change. */
  error: Error | null
}

/** Connects to each server of NATS_URL. */
export const inspectServers = (url: string): Promise<ServerReport[]> =>
  Promise.all(
    hostsOf(url).map(async (host) => {
      try {
        const connection = await connect(url, [host])
        const version = connection.info?.version ?? null
        await connection.close()
        return { host, version, error: null }
      } catch (error) {
        return { host, version: null, error: error as Error }
      }
    }),
  )

/** Connects to one of the servers. Throws a `CannotOpenStorage` if the problem does not pass by itself. */
async function connect(url: string, hosts = hostsOf(url)): Promise<NatsConnection> {
  const { connect: connectToServers } = await import('@nats-io/transport-node')
  const options = { ...(await optionsOf(url)), servers: hosts }
  const connection = await connectToServers(options).catch((error: Error) => {
    throw toOperatorError(error, hosts.join(', '))
  })
  const { version } = connection.info ?? { version: '0' }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST_SERVER[0] || (major === OLDEST_SERVER[0] && minor >= OLDEST_SERVER[1])) return connection
  const server = connection.getServer()
  await connection.close()
  throw new CannotOpenStorage(
    `The NATS server at ${server} has version ${version}, and Parley needs ${OLDEST_SERVER.join('.')} or later. Upgrade the ` +
      'server, or name others by NATS_URL.',
  )
}

async function optionsOf(url: string): Promise<Omit<NodeConnectionOptions, 'servers'>> {
  const servers = serversOf(url)
  const credentials = servers.find(({ username }) => username !== '')
  const [user, pass] = [credentials?.username ?? '', credentials?.password ?? ''].map(decodeURIComponent)
  const parameter = (name: string) => servers.map(({ searchParams }) => searchParams.get(name)).find(Boolean)
  const [caFile, credsFile] = [parameter('ca'), parameter('creds')]
  const usesTls = caFile !== undefined || servers.some(({ protocol }) => protocol === 'tls:')
  return {
    name: 'parley',
    ...(user !== '' && { user, pass }),
    ...(credsFile && { authenticator: await authenticatorOf(credsFile) }),
    ...(usesTls && { tls: caFile ? { caFile } : {} }),
    ...{ noEcho: true, noAsyncTraces: true, ignoreAuthErrorAbort: true },
    ...{ timeout: CONNECTING_TIME, pingInterval: PING_INTERVAL, maxPingOut: 2 },
    ...{ maxReconnectAttempts: -1, reconnectTimeWait: PAUSE },
  }
}

async function authenticatorOf(path: string) {
  const [{ credsAuthenticator }, { readFile }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('node:fs/promises'),
  ])
  const content = await readFile(path).catch((error: Error) => {
    throw new CannotOpenStorage(`The file with credentials in NATS_URL cannot be read: ${error.message}`)
  })
  return credsAuthenticator(content)
}

/** Returns a `CannotOpenStorage` for a problem that does not pass by itself, and the error otherwise. */
function toOperatorError(error: Error, hosts: string): Error {
  const { cause } = error
  const reason = [error.message, ...(cause instanceof Error ? [cause.message] : [])].join(': ')
  if (/authoriz|authentic/i.test(reason))
    return new CannotOpenStorage(
      `NATS at ${hosts} refuses the credentials of NATS_URL (${reason}). Put those of the server into it: ` +
        'nats://user:password@host:4222, or ?creds=FILE at its end.',
    )
  if (/\btls\b|certificate|altname/i.test(reason))
    return new CannotOpenStorage(
      `An encrypted connection to NATS at ${hosts} is not possible (${reason}). Begin NATS_URL with tls:// if the server ` +
        'speaks TLS, and with nats:// if not. If its certificate is by an authority of your own, append ?ca=FILE.',
    )
  return error
}

/** Encrypts texts for one subject, and finds out whether they were changed. */
type Seal = {
  close(subject: string, text: string): Buffer
  /** Returns null for a text that no node with the same secret has written for this subject. */
  open(subject: string, data: Uint8Array): string | null
}

const NONCE_LENGTH = 12
const TAG_LENGTH = 16

function sealWith(key: Buffer, random: Random): Seal {
  return {
    close(subject, text) {
      const nonce = random.bytes(NONCE_LENGTH)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(subject))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(subject, data) {
      if (data.length < NONCE_LENGTH + TAG_LENGTH) return null
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_LENGTH), {
          authTagLength: TAG_LENGTH,
        })
        decipher.setAAD(Buffer.from(subject)).setAuthTag(data.subarray(-TAG_LENGTH))
        return decipher.update(data.subarray(NONCE_LENGTH, -TAG_LENGTH), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return null
      }
    },
  }
}
