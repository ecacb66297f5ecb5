import { readApiPath, routesUnder } from '../api-path.ts'
import type { Endpoint } from '../endpoint.ts'
import { buildRouter } from '../router.ts'
import { MAX_UNAUTHENTICATED } from './read-body.ts'

const MEBIBYTE = 1024 * 1024

/** The maximum size, in bytes, of everything besides the file in a multipart body. */
const MARGIN = 64 * 1024

/**
 * Returns a function that returns the maximum size of a request's body, in bytes: 1 MiB, or more if the endpoint
 * accepts larger files. The limit is 64 KiB for endpoints without credentials and for forms of pages.
 */
export function bodyLimits(endpoints: readonly Endpoint[]): (method: string, path: string) => number {
  const special = endpoints.filter(({ maxUploadBytes, who }) => maxUploadBytes !== null || who === 'anyone')
  const match = buildRouter(
    special.map((endpoint) => ({ ...endpoint, handler: limitOf(endpoint) })),
    new Map(special.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint.pathTypes])),
  )
  return (method, path) => {
    const apiPath = readApiPath(path)
    if (apiPath === null) return MAX_UNAUTHENTICATED
    return match(apiPath.path)?.methods.get(method as Endpoint['method']) ?? MEBIBYTE
  }
}

const limitOf = ({ maxUploadBytes, who }: Endpoint): number =>
  who === 'anyone' ? MAX_UNAUTHENTICATED : Math.max(MEBIBYTE, (maxUploadBytes ?? 0) + MARGIN)

/** Returns a function that is true for requests whose endpoint reads files while they arrive. */
export function endpointsReadingFiles(endpoints: readonly Endpoint[]): (method: string, path: string) => boolean {
  const readers = new Set(
    endpoints.filter(({ readsFiles }) => readsFiles).flatMap(({ method, path }) => routesUnder(method, path)),
  )
  return (method, path) => method !== 'GET' && readers.has(`${method} ${path}`)
}
