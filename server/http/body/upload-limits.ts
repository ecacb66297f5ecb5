import { readApiPath, routesUnder } from '../api-path.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildRouter } from '../router.ts'

const MEBIBYTE = 1024 * 1024

/** What may stand around a file in a multipart body. */
const MARGIN = 64 * 1024

/** How many bytes the body of a request may have: 1 MiB, and more where an endpoint takes larger files. */
export function bodyLimits(endpoints: readonly Endpoint[]): (method: string, path: string) => number {
  const uploads = endpoints.filter((endpoint) => endpoint.maxUploadBytes !== null)
  const match = buildRouter(
    uploads.map((endpoint) => ({ ...endpoint, handler: (endpoint.maxUploadBytes ?? 0) + MARGIN })),
    new Map(uploads.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint.pathTypes])),
  )
  return (method, path) => {
    const called = method === 'GET' ? null : readApiPath(path)
    if (called === null) return MEBIBYTE
    const limit = match(called.path)?.methods.get(method as Endpoint['method'])
    return Math.max(MEBIBYTE, limit ?? 0)
  }
}

/** Whether the endpoint of a request reads its files itself. */
export function fileReaders(endpoints: readonly Endpoint[]): (method: string, path: string) => boolean {
  const readers = new Set(
    endpoints.filter(({ readsFiles }) => readsFiles).flatMap(({ method, path }) => routesUnder(method, path)),
  )
  return (method, path) => method !== 'GET' && readers.has(`${method} ${path}`)
}
