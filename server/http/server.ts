import type { Settings } from '#config.ts'
import { programVersion } from '#lib/process.ts'
import type { Storage } from '#storage/storage.ts'
import { pathsUnder, readApiPath } from './authentication.ts'
import { openBodyGate } from './body/body-gate.ts'
import { MAX_UNAUTHENTICATED } from './body/read-body.ts'
import { isBusySender } from './caller.ts'
import type { Endpoint, Services } from './endpoint.ts'
import type { HttpRequest, HttpResponse } from './http-types.ts'
import { networkOf } from './rate-limits.ts'
import { buildRouter } from './router.ts'
import { headersForPath, securityHeaders } from './security-headers.ts'
import type { Priority } from './wire/admission.ts'
import { type HttpServerOptions, openHttpServer } from './wire/server.ts'

/** Addresses of this machine, used by tests, tools, and proxies. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i

/**
 * Returns a function that returns the network of an address, by which connections are limited. The function returns
 * null for addresses without a limit.
 */
export function connectionNetwork({
  MAX_CONNECTIONS_PER_ADDRESS: max,
  TRUST_X_REAL_IP: isBehindProxy,
}: Pick<Settings, 'MAX_CONNECTIONS_PER_ADDRESS' | 'TRUST_X_REAL_IP'>): (address: string) => string | null {
  // Behind a proxy, all connections come from the proxy.
  if (max === 0 || isBehindProxy) return () => null
  return (address) => (address === '' || LOOPBACK.test(address) ? null : networkOf(address))
}

/** The path where a proxy checks whether to send requests to this server. */
const HEALTH_PATH = '/health'

/** The failing jobs, each with the UNIX time since which every attempt has failed. */
type FailingJobs = () => readonly { name: string; since: number }[]

/**
 * Responds 200 while the database can be read and written, else 503; returns null for all other paths. The first line
 * names the state, the second one the version. Failing jobs follow. They do not change the status, because they would
 * fail on another node as well.
 */
export function healthPage(
  storage: Pick<Storage, 'isReady'>,
  failingJobs: FailingJobs,
): (request: Pick<HttpRequest, 'method' | 'path'>) => Promise<HttpResponse> | null {
  return ({ method, path }) =>
    path === HEALTH_PATH && (method === 'GET' || method === 'HEAD') ? answer(storage, failingJobs) : null
}

async function answer(storage: Pick<Storage, 'isReady'>, failingJobs: FailingJobs): Promise<HttpResponse> {
  const isReady = await storage.isReady()
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  const state = isReady ? 'ok' : 'The database is not ready'
  const lines = [state, `Parley ${programVersion}`, ...failingJobs().map(describe)]
  return { status: isReady ? 200 : 503, headers, body: `${lines.join('\n')}\n` }
}

const describe = ({ name, since }: { name: string; since: number }) =>
  `The job ${name} has been failing since ${new Date(since * 1000).toISOString()}`

/** Returns a function that returns the priority of a request in a busy server, as its endpoint declares it. */
export function priorities(endpoints: readonly Endpoint[]): (method: string, path: string) => Priority {
  const declared = new Map<string, Map<string, Priority>>()
  for (const { method, path, priority } of endpoints) {
    if (priority === 'normal') continue
    for (const full of pathsUnder(path)) {
      const methods = declared.get(full) ?? new Map<string, Priority>()
      declared.set(full, methods.set(method, priority))
    }
  }
  return (method, path) => (path === HEALTH_PATH ? 'urgent' : (declared.get(path)?.get(method) ?? 'normal'))
}

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
function endpointsReadingFiles(endpoints: readonly Endpoint[]): (method: string, path: string) => boolean {
  const readers = new Set(
    endpoints
      .filter(({ readsFiles }) => readsFiles)
      .flatMap(({ method, path }) => pathsUnder(path).map((full) => `${method} ${full}`)),
  )
  return (method, path) => method !== 'GET' && readers.has(`${method} ${path}`)
}

export type HttpOptions = {
  services: Services
  endpoints: readonly Endpoint[]
  dispatch: HttpServerOptions['dispatch']
  /** Client timeouts that replace the defaults. */
  timeouts?: NonNullable<HttpServerOptions['timeouts']>
  /** Limits on concurrent and waiting requests that replace the defaults. */
  limits?: NonNullable<HttpServerOptions['limits']>
  /** Must end the wait of waiting requests, and keep further requests from waiting. */
  onClose: () => void | Promise<void>
}

export type HttpServer = ReturnType<typeof openHttpServer>

/** Opens the server of an installation: its limits, headers and priorities. It does not listen yet. */
export function openHttp({
  services,
  endpoints,
  dispatch,
  timeouts = {},
  limits = {},
  onClose,
}: HttpOptions): HttpServer {
  const { settings, log, random, isDisposable } = services
  const bodyLimit = bodyLimits(endpoints)
  return openHttpServer({
    dispatch,
    log,
    random,
    // The calls for tests accept larger bodies, because a body may describe a whole organization.
    bodyLimit: isDisposable ? (method, path) => Math.max(bodyLimit(method, path), MEBIBYTE) : bodyLimit,
    bodyGate: openBodyGate(services),
    isBusySender: (head) => isBusySender(services, head),
    networkOf: connectionNetwork(settings),
    maxConnections: settings.MAX_CONNECTIONS_PER_ADDRESS,
    readsFiles: endpointsReadingFiles(endpoints),
    answersInMemory: (path) => readApiPath(path) !== null,
    trustRealIp: settings.TRUST_X_REAL_IP,
    fastPath: settings.HTTP_FAST_PATH,
    headersForPath,
    commonHeaders: securityHeaders(settings),
    onClose,
    timeouts,
    priorityOf: priorities(endpoints),
    limits,
  })
}
