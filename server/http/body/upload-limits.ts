import { readApiPath, routesUnder } from '../api-path.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildRouter } from '../router.ts'
import { MAX_UNAUTHENTICATED } from './body.ts'

const MEBIBYTE = 1024 * 1024

/** What may stand around a file in a multipart body. */
const MARGIN = 64 * 1024

/**
 * How many bytes the body of a request may have: 1 MiB, and more where an endpoint takes larger files. Without credentials
 * it is 64 KiB, in forms of pages too.
 */
export function bodyLimits(endpoints: readonly Endpoint[]): (method: string, path: string) => number {
  const special = endpoints.filter(({ maxUploadBytes, who }) => maxUploadBytes !== null || who === 'anyone')
  const match = buildRouter(
    special.map((endpoint) => ({ ...endpoint, handler: limitOf(endpoint) })),
    new Map(special.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint.pathTypes])),
  )
  return (method, path) => {
    const called = readApiPath(path)
    if (called === null) return MAX_UNAUTHENTICATED
    return match(called.path)?.methods.get(method as Endpoint['method']) ?? MEBIBYTE
  }
}

const limitOf = ({ maxUploadBytes, who }: Endpoint): number =>
  who === 'anyone' ? MAX_UNAUTHENTICATED : Math.max(MEBIBYTE, (maxUploadBytes ?? 0) + MARGIN)

/** Whether the endpoint of a request reads its files itself. */
export function endpointsReadingFiles(endpoints: readonly Endpoint[]): (method: string, path: string) => boolean {
  const readers = new Set(
    endpoints.filter(({ readsFiles }) => readsFiles).flatMap(({ method, path }) => routesUnder(method, path)),
  )
  return (method, path) => method !== 'GET' && readers.has(`${method} ${path}`)
}
