import type { IncomingHttpHeaders } from 'node:http'
import { type GuardedOptions, type GuardedOutcome, guardedRequest } from './guarded-request.ts'

/** A web page: its address after redirects, and the beginning of its HTML. */
export type Page = { readonly url: string; readonly html: string }

/** A page; null if there is none or it may not be read. `unreachable` means that a later attempt may find a page. */
type FetchedPage = Page | null | 'unreachable'

export type FetchPage = (url: string, signal: AbortSignal) => Promise<FetchedPage>

/** The maximum number of bytes that are read of a page. The title and description are at the beginning of a page. */
export const MAX_PAGE_SIZE = 512 * 1024

const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; ParleyLinkPreview)',
  accept: 'text/html,application/xhtml+xml',
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Fetches a public web page, under the rules of `guardedRequest`. Only the standard ports of http and https are used,
 * and the request has neither cookies nor a referrer nor credentials.
 */
export async function fetchPage(
  address: string,
  options: GuardedOptions,
  mayVisit: (url: URL) => boolean = isPlainAddress,
): Promise<FetchedPage> {
  const outcome = await guardedRequest(
    address,
    {
      method: 'GET',
      headers: HEADERS,
      redirects: REDIRECTS,
      maxSize: MAX_PAGE_SIZE,
      isCut: true,
      readsBody: isHtml,
      mayVisit,
    },
    options,
  )
  if (isTemporary(outcome)) return 'unreachable'
  if (outcome.kind !== 'answer' || !isHtml(outcome.status, outcome.headers)) return null
  const { url, bytes, headers } = outcome
  return { url: url.href, html: decode(bytes, headers['content-type'] ?? '') }
}

/** Returns whether the address has the scheme http or https, a standard port and no credentials. */
export function isPlainAddress({ protocol, port, username, password }: URL): boolean {
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb && ['', '80', '443'].includes(port) && username === '' && password === ''
}

/**
 * Returns whether the same request may succeed later, because the network failed or the server is overloaded or broken.
 */
const isTemporary = (outcome: GuardedOutcome): boolean =>
  outcome.kind === 'answer'
    ? outcome.status === 429 || outcome.status >= 500
    : outcome.kind === 'timeout' || outcome.kind === 'unreachable'

const isHtml = (status: number, headers: IncomingHttpHeaders) =>
  status === 200 &&
  /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(headers['content-type'] ?? '') &&
  ['identity', undefined].includes(headers['content-encoding'])

/** The number of bytes at the beginning of a page that are searched for its encoding. */
const DECLARATION_SIZE = 1024

/** Decodes by the byte order mark, else by the header, else by the declaration in the page, else as UTF-8. */
function decode(bytes: Buffer, contentType: string): string {
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
