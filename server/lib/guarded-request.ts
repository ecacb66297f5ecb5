import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress, parsePrivateHost } from './public-address.ts'

// A request that cannot reach private networks: the address that was checked is the address that is connected to,
// also after each redirect. Callers use guarded-fetch.ts.

/** A response with any status, or the reason why there is none. */
export type GuardedOutcome =
  | { kind: 'answer'; status: number; headers: http.IncomingHttpHeaders; bytes: Buffer; url: URL }
  | { kind: 'timeout' }
  | { kind: 'unreachable'; reason: string }
  /** The address is not public, and no setting allows it. */
  | { kind: 'forbidden' }
  | { kind: 'too large' }
  | { kind: 'stopped' }

export type GuardedRequest = {
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string | number>>
  body?: string | Buffer
  /** The status codes of the redirects to follow. The same request is sent to the new address. */
  redirects: ReadonlySet<number>
  /** The maximum size of a response in bytes. */
  maxSize: number
  /** True if a longer response is cut at the limit instead of being rejected. */
  isCut?: boolean
  /**
   * Returns whether to read the body of a response. A body that is not read is empty in the outcome. If omitted, every
   * body is read.
   */
  readsBody?: (status: number, headers: http.IncomingHttpHeaders) => boolean
  /** Returns whether an address may be requested at all, in addition to the rules about private networks. */
  mayVisit?: (url: URL) => boolean
}

export type GuardedOptions = {
  /** Seconds for the whole request: name resolution, connection, response and redirects. */
  timeLimit: number
  /** Hosts in the format of the settings OUTGOING_WEBHOOK_PRIVATE_HOSTS and EXTERNAL_CONTENT_PRIVATE_HOSTS. */
  privateHosts: readonly string[]
  signal: AbortSignal
  /** Resolves a host name. If omitted, the operating system resolves it. */
  resolve?: Resolve
}

/** Resolves a host name. `signal` aborts a lookup that has not begun; the resolver of the operating system ignores it. */
export type Resolve = (
  host: string,
  options: LookupOptions & { all: true },
  done: Resolved,
  signal?: AbortSignal,
) => void
type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** The maximum number of redirects. */
const MAX_REDIRECTS = 3

const FORBIDDEN = 'PARLEY_FORBIDDEN'

/**
 * Sends a request and follows redirects. Every connection uses an address that was checked, so the name cannot resolve
 * to another address in between. Redirects are checked as well. Responses are not decompressed.
 */
export async function guardedRequest(
  address: string,
  request: GuardedRequest,
  options: GuardedOptions,
): Promise<GuardedOutcome> {
  const deadline = AbortSignal.timeout(options.timeLimit * 1000)
  const signal = AbortSignal.any([options.signal, deadline])
  let url = URL.parse(address)
  for (let redirects = 0; url !== null && redirects <= MAX_REDIRECTS; redirects += 1) {
    if (request.mayVisit?.(url) === false) return { kind: 'forbidden' }
    const outcome = await requestOnce(url, request, options, signal)
    if (options.signal.aborted) return { kind: 'stopped' }
    if (deadline.aborted && outcome.kind === 'unreachable') return { kind: 'timeout' }
    if (outcome.kind !== 'redirect') return outcome
    const next = URL.parse(outcome.location, url)
    if (next !== null && !mayRedirect(url, next)) return { kind: 'forbidden' }
    url = next
  }
  return { kind: 'unreachable', reason: 'The server redirects to an invalid address or in a loop.' }
}

/**
 * Returns whether a redirect may be followed. A redirect from https to http may not, because the token could be
 * intercepted.
 */
export const mayRedirect = (from: URL, to: URL): boolean =>
  to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')

type OutcomeOnce = GuardedOutcome | { kind: 'redirect'; location: string }

function requestOnce(
  url: URL,
  given: GuardedRequest,
  options: GuardedOptions,
  signal: AbortSignal,
): Promise<OutcomeOnce> {
  const mayCall = mayCallWith(options.privateHosts)
  const host = hostOf(url)
  if (isIP(host) !== 0 && !mayCall(host, host)) return Promise.resolve({ kind: 'forbidden' })
  const { promise, resolve } = Promise.withResolvers<OutcomeOnce>()
  const fail = (error: NodeJS.ErrnoException) =>
    resolve(error.code === FORBIDDEN ? { kind: 'forbidden' } : { kind: 'unreachable', reason: reasonOf(error) })
  const { request } = url.protocol === 'https:' ? https : http
  const asked = request(withoutCredentials(url), {
    method: given.method,
    agent: false,
    signal,
    lookup: guardedLookup(mayCall, options.resolve ?? lookup, signal),
    headers: { ...given.headers, 'accept-encoding': 'identity', ...authorizationOf(url) },
  })
  asked.on('error', fail)
  asked.on('close', () => fail(new Error('Nothing came')))
  asked.on('response', (answer) => {
    answer.on('error', fail)
    const { statusCode: status = 0, headers } = answer
    const finish = (outcome: OutcomeOnce) => {
      resolve(outcome)
      asked.destroy()
    }
    if (given.redirects.has(status) && headers.location !== undefined)
      return finish({ kind: 'redirect', location: headers.location })
    const chunks: Buffer[] = []
    let size = 0
    const answerWith = (bytes: Buffer): OutcomeOnce => ({ kind: 'answer', status, headers, bytes, url })
    if (given.readsBody?.(status, headers) === false) return finish(answerWith(Buffer.alloc(0)))
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= given.maxSize) return
      finish(given.isCut ? answerWith(Buffer.concat(chunks).subarray(0, given.maxSize)) : { kind: 'too large' })
    })
    answer.on('end', () => resolve(answerWith(Buffer.concat(chunks))))
  })
  asked.end(given.body)
  return promise
}

function withoutCredentials(url: URL): URL {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

/** Returns the user name and password of the address as bytes, because the percent-encoded values need not be text. */
function authorizationOf({ username, password }: URL): { authorization?: string } {
  if (username === '' && password === '') return {}
  const bytes = [bytesOf(username), Buffer.from(':'), bytesOf(password)]
  return { authorization: `Basic ${Buffer.concat(bytes).toString('base64')}` }
}

const bytesOf = (encoded: string) =>
  Buffer.from(
    encoded.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  )

/** Returns the host without the brackets of IPv6, in lower case. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

const reasonOf = (error: NodeJS.ErrnoException) => error.code ?? error.name

type MayCall = (host: string, address: string) => boolean

function mayCallWith(privateHosts: readonly string[]): MayCall {
  const allowed = privateHosts.map(parsePrivateHost).filter((one) => one !== null)
  return (host, address) => isPublicAddress(address) || allowed.some((one) => one.has(host, address))
}

/** Returns a lookup that resolves the name and passes only permitted addresses to the connection. */
function guardedLookup(mayCall: MayCall, resolve: Resolve, signal: AbortSignal) {
  type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
  return (host: string, options: LookupOptions, done: Done) => {
    const finish: Resolved = (error, found) => {
      if (error !== null) return done(error, [])
      const addresses = found.filter(({ address }) => mayCall(host, address))
      const [first] = addresses
      if (first === undefined) return done(Object.assign(new Error('No permitted address'), { code: FORBIDDEN }), [])
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    }
    resolve(host, { ...options, all: true }, finish, signal)
  }
}
