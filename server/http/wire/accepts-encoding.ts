import type { HttpRequest } from './http-types.ts'

let last = { header: '', acceptsGzip: false }

/** Whether the sender of the request accepts gzip. Most requests say the same as the one before. */
export function acceptsGzip(request: Pick<HttpRequest, 'headers'>): boolean {
  const header = String(request.headers['accept-encoding'] ?? '')
  if (header !== last.header) last = { header, acceptsGzip: acceptsEncoding(request, 'gzip') }
  return last.acceptsGzip
}

/** Whether the sender of the request named `encoding` among those that it takes. */
export function acceptsEncoding({ headers }: Pick<HttpRequest, 'headers'>, encoding: string): boolean {
  return String(headers['accept-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, ...weights]) => name === encoding && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight)))
}
