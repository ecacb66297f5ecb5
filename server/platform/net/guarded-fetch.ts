import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress, parsePrivateHost } from './public-address.ts'

/**
 * The outcome of a request: a response with any status and the seconds of its Retry-After, or the reason why there is
 * none.
 */
export type PostOutcome =
  | { kind: 'answer'; status: number; body: string; retryAfter: number | null }
  | { kind: 'timeout' }
  | { kind: 'unreachable'; reason: string }
  /** The address is not public, and no setting allows it. */
  | { kind: 'forbidden' }
  | { kind: 'too large' }
  | { kind: 'stopped' }

export type PostRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export type GuardedPostOptions = {
  /** Seconds for the whole request: name resolution, connection, response and redirects. */
  timeLimit: number
  /** Hosts in the format of the setting OUTGOING_WEBHOOK_PRIVATE_HOSTS. */
  privateHosts: readonly string[]
  /** Aborts the request. */
  signal: AbortSignal
  /** Resolves a host name; the resolver of the operating system, if omitted. */
  resolve?: Resolve
}

type Resolve = (host: string, options: LookupOptions & { all: true }, done: Resolved) => void
type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** The maximum size of a response in bytes, which is larger than the longest message that a bot can send. */
export const MAX_RESPONSE_SIZE = 256 * 1024

/** The maximum number of redirects. */
const MAX_REDIRECTS = 3

const FORBIDDEN = 'PARLEY_FORBIDDEN'

/**
 * Sends a body by POST and follows the redirects 307 and 308, which repeat the request at another address. Every
 * connection uses an address that was checked, so the name cannot change its meaning in between. Redirects are checked
 * as well.
 */
export async function guardedPost(request: PostRequest, options: GuardedPostOptions): Promise<PostOutcome> {
  const deadline = AbortSignal.timeout(options.timeLimit * 1000)
  const signal = AbortSignal.any([options.signal, deadline])
  let url = URL.parse(request.url)
  for (let redirects = 0; url !== null && redirects <= MAX_REDIRECTS; redirects += 1) {
    const posted = await postOnce(url, request, options, signal)
    if (options.signal.aborted) return { kind: 'stopped' }
    if (deadline.aborted && posted.kind === 'unreachable') return { kind: 'timeout' }
    if (posted.kind !== 'redirect') return posted
    const next = URL.parse(posted.location, url)
    if (next !== null && !mayRedirect(url, next)) return { kind: 'forbidden' }
    url = next
  }
  return { kind: 'unreachable', reason: 'The server redirects to an invalid address or in circles.' }
}

/** Returns whether a redirect may be followed: never from https to http, where the token could be intercepted. */
export const mayRedirect = (from: URL, to: URL): boolean =>
  to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:')

type PostedOnce = PostOutcome | { kind: 'redirect'; location: string }

function postOnce(
  url: URL,
  { headers: given, body }: PostRequest,
  options: GuardedPostOptions,
  signal: AbortSignal,
): Promise<PostedOnce> {
  const mayCall = reachOf(options.privateHosts)
  const host = hostOf(url)
  if (isIP(host) !== 0 && !mayCall(host, host)) return Promise.resolve({ kind: 'forbidden' })
  const { promise, resolve } = Promise.withResolvers<PostedOnce>()
  const fail = (error: NodeJS.ErrnoException) =>
    resolve(error.code === FORBIDDEN ? { kind: 'forbidden' } : { kind: 'unreachable', reason: reasonOf(error) })
  const { request } = url.protocol === 'https:' ? https : http
  const asked = request(withoutCredentials(url), {
    method: 'POST',
    agent: false,
    signal,
    lookup: guardedLookup(mayCall, options.resolve ?? lookup),
    headers: {
      ...given,
      'content-length': Buffer.byteLength(body),
      'accept-encoding': 'identity',
      ...authorizationOf(url),
    },
  })
  asked.on('error', fail)
  asked.on('close', () => fail(new Error('Nothing came')))
  asked.on('response', (answer) => {
    answer.on('error', fail)
    const { statusCode = 0, headers } = answer
    if ((statusCode === 307 || statusCode === 308) && headers.location !== undefined) {
      resolve({ kind: 'redirect', location: headers.location })
      asked.destroy()
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= MAX_RESPONSE_SIZE) return
      resolve({ kind: 'too large' })
      asked.destroy()
    })
    const retryAfter = secondsIn(headers['retry-after'])
    const textOf = () => Buffer.concat(chunks).toString()
    answer.on('end', () => resolve({ kind: 'answer', status: statusCode, body: textOf(), retryAfter }))
  })
  asked.end(body)
  return promise
}

/** Returns null for a date, which servers send only for delays of several days. */
const secondsIn = (retryAfter: string | undefined) => (/^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : null)

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

type Reach = (host: string, address: string) => boolean

function reachOf(privateHosts: readonly string[]): Reach {
  const allowed = privateHosts.map(parsePrivateHost).filter((one) => one !== null)
  return (host, address) => isPublicAddress(address) || allowed.some((one) => one.has(host, address))
}

/** Resolves the name and passes only permitted addresses to the connection. */
function guardedLookup(mayCall: Reach, resolve: Resolve) {
  type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
  return (host: string, options: LookupOptions, done: Done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, [])
      const addresses = found.filter(({ address }) => mayCall(host, address))
      const [first] = addresses
      if (first === undefined) return done(Object.assign(new Error('No permitted address'), { code: FORBIDDEN }), [])
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
