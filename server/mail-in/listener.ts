import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Services } from '#http/endpoint.ts'
import { networkOf, openRateLimiter, type RateRule } from '#http/rate-limits.ts'
import { explainError, isDiskFull, OperatorError } from '#lib/errors.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import {
  MAX_MAIL_BYTES,
  MailRefusal,
  mailTooLarge,
  receiveMail,
  requireMailAddress,
  unknownAddress,
} from './receive-mail.ts'

// The SMTP server for incoming email. It relays nothing: all recipients but its own addresses are refused before the
// email is read. It accepts an email only after the message is committed, so that the sending server keeps the email
// until then. Every network has limits, except for this machine, whose mail server may pass on all email.

/** The maximum number of connections: in total, and of one network. */
const [MAX_CONNECTIONS, MAX_CONNECTIONS_EACH] = [50, 5]

/** The limits for one network: connections, emails, and addresses that do not exist. */
const CONNECTION_RULES: readonly RateRule[] = [[60, 60]]
const MAIL_RULES: readonly RateRule[] = [
  [60, 60],
  [3600, 1000],
]
const UNKNOWN_RULES: readonly RateRule[] = [[3600, 50]]

/**
 * The maximum size in bytes of the emails that are being received: in total, and of one network. They take twice as much
 * memory while they are passed on, and more while they are read, which happens to one at a time.
 */
const [MAX_BYTES, MAX_BYTES_EACH] = [4 * MAX_MAIL_BYTES, MAX_MAIL_BYTES]

/** Milliseconds after which a silent connection is closed, and any connection. */
const [IDLE_TIME, MAX_TIME] = [60_000, 600_000]

/** Milliseconds that emails which are being received get when the server stops. */
const CLOSING_TIME = 3000

/** Milliseconds after which the certificate is read again, since it may have been renewed. */
const CERTIFICATE_INTERVAL = 3_600_000

export type MailListener = AsyncDisposable & {
  /** Starts listening on MAIL_IN_LISTEN_HOST. Throws an `OperatorError` if the port is not available. */
  listen(port: number): Promise<{ port: number }>
}

/** The certificates of https, which the listener uses unless it has one of its own. */
type SharedCertificates = {
  findPair(host: string): { readonly cert: string; readonly key: string } | null
  onChange(use: () => void): void
}

/** `limitsThisMachine` is true for tests, whose connections come from this machine. */
export type ListenerOptions = {
  limitsThisMachine?: boolean
  certificates?: SharedCertificates | null
  /** Returns the services for each database with organizations, null for one that is away; those of the first if omitted. */
  allServices?: (() => readonly (Services | null)[]) | undefined
}

/**
 * Returns the services of the database that has the address. Refuses an address that none has, for the time being if it
 * may be in a database that is away.
 */
async function findServices(all: readonly (Services | null)[], address: string): Promise<Services> {
  let refusal: unknown = all.includes(null) ? databaseAway() : unknownAddress()
  for (const services of all) {
    if (services === null) continue
    try {
      await requireMailAddress(services, address)
      return services
    } catch (error) {
      if (!(error instanceof MailRefusal)) refusal = error
      else if (error.status !== unknownAddress().status) throw error
    }
  }
  throw refusal
}

const databaseAway = () => new MailRefusal(451, '4.3.0', 'Temporary failure. Try again later.')

/** Opens the SMTP server. It does not listen yet. */
export function openMailListener(
  services: Services,
  { limitsThisMachine = false, certificates = null, allServices = () => [services] }: ListenerOptions = {},
): MailListener {
  const { settings, clock, log } = services
  const limiter = openRateLimiter()
  const networks = new Map<string, string>()
  const timers = new Map<string, NodeJS.Timeout>()
  const receiving = new Set<string>()
  const bytesOfNetworks = new Map<string | null, number>()
  let bytesOfAll = 0

  const requireRate = (what: string, network: string | null, rules: readonly RateRule[]) => {
    if (network !== null && !limiter.take(`${what} ${network}`, rules, clock.now()).allowed) throw tooFast()
  }
  /** Returns the network to which limits apply; null for this machine. */
  const limitedNetwork = ({ remoteAddress }: SMTPServerSession): string | null =>
    isLoopbackHost(remoteAddress) && !limitsThisMachine ? null : networkOf(remoteAddress)

  function connect(session: SMTPServerSession): void {
    const network = limitedNetwork(session)
    const count = [...networks.values()].filter((other) => other === network).length
    if (network !== null && count >= MAX_CONNECTIONS_EACH) throw tooFast(421)
    requireRate('connections', network, CONNECTION_RULES)
    if (network !== null) networks.set(session.id, network)
    timers.set(
      session.id,
      setTimeout(() => end(session.id), MAX_TIME),
    )
  }

  function end(id: string): void {
    for (const connection of server.connections) {
      if (connection.id !== id) continue
      connection.send(421, 'The connection took too long')
      connection.close()
    }
  }

  async function requireRecipient(address: string, session: SMTPServerSession): Promise<void> {
    const network = limitedNetwork(session)
    const isGuessing =
      network !== null && limiter.findRefusal(`unknown ${network}`, UNKNOWN_RULES, clock.now()) !== null
    if (isGuessing) throw tooFast()
    requireRate('emails', network, MAIL_RULES)
    try {
      await findServices(allServices(), address)
    } catch (error) {
      if (error instanceof MailRefusal && error.status === unknownAddress().status)
        requireRate('unknown', network, UNKNOWN_RULES)
      throw error
    }
  }

  /** Adds bytes of an email to those in memory. Returns whether all are within the limits. */
  function addBytes(network: string | null, bytes: number): boolean {
    const ofNetwork = (bytesOfNetworks.get(network) ?? 0) + bytes
    bytesOfAll += bytes
    if (ofNetwork === 0) bytesOfNetworks.delete(network)
    else bytesOfNetworks.set(network, ofNetwork)
    return bytesOfAll <= MAX_BYTES && (network === null || ofNetwork <= MAX_BYTES_EACH)
  }

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const { id, envelope } = session
    const network = limitedNetwork(session)
    const recipient = envelope.rcptTo[0]?.address ?? ''
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const chunks: Buffer[] = []
    let size = 0
    let isRefused = false
    receiving.add(id)
    try {
      for await (const chunk of chunksOf(stream)) {
        if (isRefused) continue
        size += chunk.length
        chunks.push(chunk)
        if (addBytes(network, chunk.length) && size <= MAX_MAIL_BYTES) continue
        // The rest is read, because the reply comes only after it, but not kept.
        isRefused = true
        chunks.length = 0
        addBytes(network, -size)
      }
      if (size > MAX_MAIL_BYTES) throw mailTooLarge()
      if (isRefused) throw new MailRefusal(452, '4.3.1', 'The server has no memory for the email. Try again later.')
      await receiveMail(await findServices(allServices(), recipient), { recipient, sender, raw: Buffer.concat(chunks) })
    } finally {
      if (!isRefused) addBytes(network, -size)
      receiving.delete(id)
    }
  }

  /** Runs a stage of the dialogue, and passes its failure on as a reply. */
  const run = (stage: () => unknown, done: (error?: Error | null) => void): void => {
    Promise.try(stage).then(
      () => done(),
      (error: unknown) => done(toReply(services, error)),
    )
  }

  const readPair = () => readCertificate(settings) ?? certificates?.findPair(new URL(settings.EXTERNAL_URL).hostname)
  const pair = readPair()
  const server = new SMTPServer({
    name: settings.MAIL_IN_DOMAIN,
    banner: 'Parley',
    ...pair,
    disabledCommands: pair ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    // Each recipient needs a reply of its own, so the sending server sends an email once for each.
    maxRecipients: 1,
    maxClients: MAX_CONNECTIONS,
    maxCommandLength: 2048,
    socketTimeout: IDLE_TIME,
    closeTimeout: CLOSING_TIME,
    onConnect: (session, done) => run(() => connect(session), done),
    onRcptTo: ({ address }, session, done) => run(() => requireRecipient(address, session), done),
    onData: (stream, session, done) => run(() => receive(stream, session), done),
    onClose({ id }) {
      networks.delete(id)
      clearTimeout(timers.get(id))
      timers.delete(id)
    },
  })
  // Errors of single connections. Those of listening are thrown by `listen`.
  server.on('error', (error) => log.debug({ reason: error.message }, FAILED_CONNECTION))

  /** Reads the certificate again. A file that cannot be read is logged, and the certificate before it stays. */
  function renewCertificate(): void {
    try {
      const renewed = readPair()
      if (!renewed) return
      server.updateSecureContext(renewed)
      server.options.disabledCommands = ['AUTH']
    } catch (error) {
      log.error({ err: error }, 'The certificate for incoming email cannot be read')
    }
  }
  const renewal = setInterval(renewCertificate, CERTIFICATE_INTERVAL).unref()
  certificates?.onChange(renewCertificate)

  return {
    async listen(port) {
      const { MAIL_IN_LISTEN_HOST: host } = settings
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const listening = server.listen(port, host, resolve)
      listening.once('error', reject)
      await promise.catch((error: unknown) => {
        const { code, message } = error as NodeJS.ErrnoException
        const reason = code === 'EADDRINUSE' ? 'it is already in use' : message
        throw new OperatorError(`Cannot receive email on ${host}, port ${port}: ${reason}. Check MAIL_IN_PORT.`)
      })
      return { port: (listening.address() as { port: number }).port }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(renewal)
      const closed = Promise.withResolvers<void>()
      server.close(closed.resolve)
      for (const connection of server.connections) {
        if (receiving.has(connection.id)) continue
        connection.send(421, 'The server is stopping')
        connection.close()
      }
      await closed.promise
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const FAILED_CONNECTION = 'Connection for incoming email failed'

/** The client ended the connection before the end of the email. */
class BrokenOff extends Error {}

/** Returns the parts of an email. Throws `BrokenOff` if they do not come to an end. */
async function* chunksOf(stream: SMTPServerDataStream): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>
  } catch (cause) {
    throw new BrokenOff((cause as Error).message, { cause })
  }
}

const tooFast = (code = 450) =>
  new MailRefusal(code, '4.7.1', 'Too many connections, emails or wrong addresses. Try again later.')

/** Returns the error with the reply that it becomes. Errors other than refusals are temporary. */
function toReply({ log }: Pick<Services, 'log'>, error: unknown): Error {
  if (error instanceof MailRefusal)
    return Object.assign(new Error(asciiOf(`${error.status} ${error.message}`)), { responseCode: error.code })
  // The client is gone, so nobody gets the reply.
  if (error instanceof BrokenOff) {
    log.debug({ reason: error.message }, FAILED_CONNECTION)
    return error
  }
  log.error({ err: error }, 'Incoming email was not stored')
  const text = isDiskFull(error)
    ? '4.3.1 The disk is full. Try again later.'
    : '4.3.0 Temporary failure. Try again later.'
  return Object.assign(new Error(text), { responseCode: isDiskFull(error) ? 452 : 451 })
}

/** Returns text for a reply, which takes no other characters: names of channels may have any. */
const asciiOf = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')

/** Returns the certificate of the settings and its key; null if there is none. Throws an `OperatorError` that names the setting to correct. */
function readCertificate(settings: Services['settings']): { cert: Buffer; key: Buffer } | null {
  if (settings.MAIL_IN_TLS_CERT === '') return null
  const read = (name: 'MAIL_IN_TLS_CERT' | 'MAIL_IN_TLS_KEY') => {
    try {
      return readFileSync(settings[name])
    } catch (cause) {
      throw new OperatorError(`${name} cannot be read: ${explainError(cause)}`, { isTemporary: false, cause })
    }
  }
  const files = { cert: read('MAIL_IN_TLS_CERT'), key: read('MAIL_IN_TLS_KEY') }
  try {
    createSecureContext(files)
  } catch (cause) {
    const names = 'MAIL_IN_TLS_CERT and MAIL_IN_TLS_KEY'
    throw new OperatorError(`${names} are no certificate and its key: ${(cause as Error).message}`, {
      isTemporary: false,
      cause,
    })
  }
  return files
}
