import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import { isPublicAddress, parsePrivateHost } from './public-address.ts'

/** What becomes of a request: an answer of any status, with the seconds of its Retry-After, or why there is none. */
export type PostOutcome =
  | { kind: 'answer'; status: number; body: string; retryAfter: number | null }
  | { kind: 'timeout' }
  | { kind: 'unreachable'; reason: string }
  /** Its address is not public, and no setting allows it. */
  | { kind: 'forbidden' }
  | { kind: 'too large' }
  | { kind: 'stopped' }

export type PostRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export type GuardedPostOptions = {
  /** Seconds for all of it: the name, the connection, the answer, and where it leads on. */
  timeLimit: number
  /** As the setting OUTGOING_WEBHOOK_PRIVATE_HOSTS has them. */
  privateHosts: readonly string[]
  /** Ends the request. */
  signal: AbortSignal
  /** Finds the addresses of a name; the machine's resolver, when omitted. */
  resolve?: Resolve
}

type Resolve = (host: string, options: LookupOptions & { all: true }, done: Resolved) => void
type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** Bytes of an answer that are read: more than a message that a bot answers with can have. */
export const MAX_RESPONSE_SIZE = 256 * 1024

/** How often an answer may lead on to another address. */
const MAX_REDIRECTS = 3

const FORBIDDEN = 'PARLEY_FORBIDDEN'

/**
 * Sends a body by POST, and follows 307 and 308, which ask for the same again elsewhere. Every connection goes to an
 * address that was looked at: a name cannot mean another one meanwhile, and what an answer leads to is looked at, too.
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
  return { kind: 'unreachable', reason: 'It leads to nowhere, or in circles.' }
}

/** Whether an answer from one address may lead to the other: never from https to where the token could be read on the way. */
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

/** Null where a date is named, as by those alone who tell when they serve again after days. */
const secondsIn = (retryAfter: string | undefined) => (/^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : null)

function withoutCredentials(url: URL): URL {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain
}

/** Name and password that stand in the address, by bytes: what they are percent-encoded from need not be text. */
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

/** Without the brackets of IPv6, and in lower case. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

const reasonOf = (error: NodeJS.ErrnoException) => error.code ?? error.name

type Reach = (host: string, address: string) => boolean

function reachOf(privateHosts: readonly string[]): Reach {
  const allowed = privateHosts.map(parsePrivateHost).filter((one) => one !== null)
  return (host, address) => isPublicAddress(address) || allowed.some((one) => one.has(host, address))
}

/** Gives the connection those addresses alone that may be called. */
function guardedLookup(mayCall: Reach, resolve: Resolve) {
  type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
  return (host: string, options: LookupOptions, done: Done) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, [])
      const addresses = found.filter(({ address }) => mayCall(host, address))
      const [first] = addresses
      if (first === undefined)
        return done(Object.assign(new Error('No address may be called'), { code: FORBIDDEN }), [])
      if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
