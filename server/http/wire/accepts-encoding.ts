import type { HttpRequest } from './http-types.ts'

let last = { header: '', acceptsGzip: false }

/** Returns whether the client accepts gzip. The last header is cached, since most requests have the same one. */
export function acceptsGzip(request: Pick<HttpRequest, 'headers'>): boolean {
  const header = String(request.headers['accept-encoding'] ?? '')
  if (header !== last.header) last = { header, acceptsGzip: acceptsEncoding(request, 'gzip') }
  return last.acceptsGzip
}

/** Returns whether the client accepts this encoding. */
export function acceptsEncoding({ headers }: Pick<HttpRequest, 'headers'>, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim()))
    .some(([name, ...weights]) => name === encoding && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight)))
}
