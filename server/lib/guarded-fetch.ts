import type { IncomingHttpHeaders } from 'node:http'
import { type GuardedOptions, type GuardedOutcome, guardedRequest, type Resolve } from './guarded-request.ts'
import { isPermittedHost } from './public-address.ts'

// Requests to addresses that users have entered: previews of web pages, pictures of other sites, and outgoing webhooks.
// They never reach private networks (guarded-request.ts), read a limited number of bytes, send no credentials of this
// server, and cannot occupy all threads that resolve names. Requests to services that the operator has configured, such
// as Zoom, have the same limits.

/** A web page or JSON document: its address after redirects, and the beginning of its text. */
export type Page = { readonly url: string; readonly html: string }

type PageFormat = 'html' | 'json'

/** A page; null if there is none or it may not be read. `unreachable` means that a later attempt may find a page. */
type FetchedPage = Page | null | 'unreachable'

export type FetchPage = (url: string, signal: AbortSignal, format?: PageFormat) => Promise<FetchedPage>

/** The maximum number of bytes that are read of a page. The title and description are at the beginning of a page. */
export const MAX_PAGE_SIZE = 512 * 1024

const PAGE_AGENT = 'Mozilla/5.0 (compatible; ParleyLinkPreview)'

/** The media types of pages by their format: the Accept header, and the pattern of those that are read. */
const PAGE_TYPES: Record<PageFormat, { accept: string; pattern: RegExp }> = {
  html: { accept: 'text/html,application/xhtml+xml', pattern: /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i },
  json: {
    accept: 'application/json',
    pattern: /^\s*(?:application\/(?:[\w.]+\+)?json(?:\+oembed)?|text\/javascript)\s*(?:;|$)/i,
  },
}

const PAGE_REDIRECTS = new Set([301, 302, 303, 307, 308])

type MayVisit = (url: URL) => boolean

type PageOptions = { format?: PageFormat; mayVisit?: MayVisit | undefined }

/**
 * Fetches a web page, under the rules of `guardedRequest`. Only the standard ports of http and https are used, except for
 * hosts that the operator has permitted, and the request has neither cookies nor a referrer nor credentials.
 */
export async function fetchPage(
  address: string,
  options: GuardedOptions,
  { format = 'html', mayVisit = (url) => isPlainAddress(url, options.privateHosts) }: PageOptions = {},
): Promise<FetchedPage> {
  const { accept, pattern } = PAGE_TYPES[format]
  const isPage = (status: number, headers: IncomingHttpHeaders) => isReadable(status, headers, pattern)
  const outcome = await guardedRequest(
    address,
    {
      method: 'GET',
      headers: { 'user-agent': PAGE_AGENT, accept },
      redirects: PAGE_REDIRECTS,
      maxSize: MAX_PAGE_SIZE,
      isCut: true,
      readsBody: isPage,
      mayVisit,
    },
    options,
  )
  if (isTemporary(outcome)) return 'unreachable'
  if (outcome.kind !== 'answer' || !isPage(outcome.status, outcome.headers)) return null
  const { url, bytes, headers } = outcome
  return { url: url.href, html: decodePage(bytes, headers['content-type'] ?? '') }
}

/** The maximum size of a picture or video of another site, in bytes. Larger ones are links. */
export const MAX_MEDIA_SIZE = 8 * 1024 * 1024

/** The bytes of a picture or video; null if there is none or it may not be read. See `FetchedPage`. */
type FetchedMedia = Buffer | null | 'unreachable'

export type FetchMedia = (url: string, signal: AbortSignal) => Promise<FetchedMedia>

const MEDIA_HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; ParleyExternalContent)',
  accept: 'image/webp,image/png,image/jpeg,image/gif,video/mp4,video/webm;q=0.9,*/*;q=0.1',
}

/** The declared types of files that may be media. Their content decides. */
const MEDIA_TYPES = /^\s*(?:$|(?:image|video)\/|(?:application|binary)\/octet-stream)/i

/**
 * Fetches a file that may be a picture or video, under the same rules as pages. The caller must check the content,
 * because the declared type proves nothing.
 */
export async function fetchMedia(
  address: string,
  options: GuardedOptions,
  mayVisit = (url: URL): boolean => isPlainAddress(url, options.privateHosts),
): Promise<FetchedMedia> {
  const isMedia = (status: number, headers: IncomingHttpHeaders) =>
    isReadable(status, headers, MEDIA_TYPES) && Number(headers['content-length'] ?? 0) <= MAX_MEDIA_SIZE
  const outcome = await guardedRequest(
    address,
    {
      method: 'GET',
      headers: MEDIA_HEADERS,
      redirects: PAGE_REDIRECTS,
      maxSize: MAX_MEDIA_SIZE,
      readsBody: isMedia,
      mayVisit,
    },
    options,
  )
  if (isTemporary(outcome)) return 'unreachable'
  return outcome.kind === 'answer' && isMedia(outcome.status, outcome.headers) ? outcome.bytes : null
}

/** Returns whether the address has the scheme http or https and no credentials. */
export const isWebAddress = ({ protocol, username, password }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''

/**
 * Returns whether the address has the scheme http or https, no credentials, and a standard port. Hosts that the operator
 * has permitted may have any port.
 */
export const isPlainAddress = (url: URL, privateHosts: readonly string[] = []): boolean =>
  isWebAddress(url) && (['', '80', '443'].includes(url.port) || isPermittedHost(url.hostname, privateHosts))

/**
 * Returns whether the same request may succeed later, because the network failed or the server is overloaded or broken.
 */
const isTemporary = (outcome: GuardedOutcome): boolean =>
  outcome.kind === 'answer'
    ? outcome.status === 429 || outcome.status >= 500
    : outcome.kind === 'timeout' || outcome.kind === 'unreachable'

/** Returns whether a response has one of these media types. Compressed responses are never read. */
const isReadable = (status: number, headers: IncomingHttpHeaders, types: RegExp) =>
  status === 200 &&
  types.test(headers['content-type'] ?? '') &&
  ['identity', undefined].includes(headers['content-encoding'])

/** The number of bytes at the beginning of a page that are searched for its encoding. */
const DECLARATION_SIZE = 1024

/** Decodes by the byte order mark, else by the header, else by the declaration in the page, else as UTF-8. */
function decodePage(bytes: Buffer, contentType: string): string {
  const declared =
    /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType)?.[1] ??
    /<meta[^>]{0,200}charset\s*=\s*["']?([\w:.-]+)/i.exec(bytes.toString('latin1', 0, DECLARATION_SIZE))?.[1]
  return decoderOf(markedEncoding(bytes) ?? declared ?? 'utf-8').decode(bytes)
}

function markedEncoding(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

/** Returns the decoder of an encoding. Unknown encodings are read as UTF-8. */
function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

/**
 * The outcome of a request: a response with any status, or the reason why there is none. `retryAfter` is in seconds.
 */
export type PostOutcome =
  | { kind: 'answer'; status: number; contentType: string; body: string; retryAfter: number | null }
  | Exclude<GuardedOutcome, { kind: 'answer' }>

export type PostRequest = {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** The maximum size of a response in bytes. It is larger than the longest message that a bot can send. */
export const MAX_RESPONSE_SIZE = 256 * 1024

/** The status codes of redirects after which the same request is sent to another address. */
const POST_REDIRECTS = new Set([307, 308])

/** Sends a body by POST, under the rules of `guardedRequest`. */
export async function guardedPost({ url, headers, body }: PostRequest, options: GuardedOptions): Promise<PostOutcome> {
  const sent = { ...headers, 'content-length': Buffer.byteLength(body) }
  const request = {
    method: 'POST',
    headers: sent,
    body,
    redirects: POST_REDIRECTS,
    maxSize: MAX_RESPONSE_SIZE,
  } as const
  const outcome = await guardedRequest(url, request, options)
  if (outcome.kind !== 'answer') return outcome
  const { status, bytes } = outcome
  const { 'content-type': contentType = '', 'retry-after': retryAfter } = outcome.headers
  return { kind: 'answer', status, contentType, body: bytes.toString(), retryAfter: secondsIn(retryAfter) }
}

export type ServiceRequest = {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

export type ServiceAnswer = { status: number; body: string }

/** The maximum size of the response of a service in bytes. */
const MAX_SERVICE_RESPONSE_SIZE = 1024 * 1024

/**
 * Calls a service that the operator has configured, under the rules of `guardedRequest`. Redirects are not followed,
 * because the request contains credentials. Returns null if there is no complete response.
 */
export async function callService(
  { method, url, headers = {}, body }: ServiceRequest,
  options: GuardedOptions,
): Promise<ServiceAnswer | null> {
  const sent = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
  const outcome = await guardedRequest(
    url,
    {
      method,
      headers: sent,
      redirects: new Set(),
      maxSize: MAX_SERVICE_RESPONSE_SIZE,
      ...(body !== undefined && { body }),
    },
    options,
  )
  return outcome.kind === 'answer' ? { status: outcome.status, body: outcome.bytes.toString() } : null
}

/** Thrown by `guardedFetch` if there is no complete response. `kind` is that of the outcome. */
export class Unreachable extends Error {
  readonly kind: Exclude<GuardedOutcome['kind'], 'answer'>
  constructor(kind: Exclude<GuardedOutcome['kind'], 'answer'>) {
    super(`No response: ${kind}`)
    this.kind = kind
  }
}

/**
 * Sends a request of a library that expects `fetch`, under the rules of `guardedRequest`. Redirects are not followed,
 * because the request may contain credentials.
 */
export async function guardedFetch(
  url: string,
  { method, headers, body }: { method: string; headers: Readonly<Record<string, string>>; body?: unknown },
  options: GuardedOptions,
): Promise<Response> {
  const text = body === undefined || body === null ? undefined : String(body)
  const outcome = await guardedRequest(
    url,
    {
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers, ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }) },
      redirects: new Set(),
      maxSize: MAX_SERVICE_RESPONSE_SIZE,
      ...(text !== undefined && { body: text }),
    },
    options,
  )
  if (outcome.kind !== 'answer') throw new Unreachable(outcome.kind)
  const { status, bytes } = outcome
  const type = outcome.headers['content-type']
  const hasBody = ![101, 204, 205, 304].includes(status)
  return new Response(hasBody ? new Uint8Array(bytes) : null, {
    status,
    headers: type === undefined ? {} : { 'content-type': type },
  })
}

/**
 * Returns the seconds in a Retry-After header. Returns null for a date, because servers send dates only for delays of
 * several days.
 */
const secondsIn = (retryAfter: string | undefined) => (/^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : null)

type LookupLimits = {
  /** The maximum number of lookups at a time. */
  pending: number
  /** The maximum number of lookups that wait for other lookups. Further lookups fail. */
  waiting: number
}

/**
 * Limits the lookups of names. A lookup counts until it has finished, even if its request was aborted before, because
 * it occupies a thread of the process until then. A waiting lookup fails when its request is aborted.
 */
export function limitLookups(resolve: Resolve, limits: LookupLimits): Resolve {
  const waiting = new Set<() => void>()
  let pending = 0

  const start: Resolve = (host, options, done) => {
    pending += 1
    resolve(host, options, (error, addresses) => {
      pending -= 1
      const [next] = waiting
      next?.()
      done(error, addresses)
    })
  }

  return (host, options, done, signal) => {
    const fail = (message: string) => done(Object.assign(new Error(message), { code: 'EAI_AGAIN' }), [])
    if (pending < limits.pending) return start(host, options, done)
    if (waiting.size >= limits.waiting) return fail('Too many lookups')
    const begin = () => {
      waiting.delete(begin)
      signal?.removeEventListener('abort', abort)
      start(host, options, done)
    }
    const abort = () => {
      waiting.delete(begin)
      fail('The request was aborted')
    }
    waiting.add(begin)
    signal?.addEventListener('abort', abort, { once: true })
  }
}
