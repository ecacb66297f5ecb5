import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '#config.ts'
import { inTime } from '#lib/clock.ts'
import type { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import type { Tracer } from '#lib/meter.ts'
import { programVersion, versionDetails } from '#lib/process.ts'
import { t } from '#lib/text.ts'
import type { Storage } from '#storage/storage.ts'
import { isScimPath, pathsUnder, readApiPath } from './authentication.ts'
import { openBodyGate } from './body/body-gate.ts'
import { MAX_UNAUTHENTICATED } from './body/read-body.ts'
import { openBodyBudget, openInFlight, openWorkBudget, UPLOADS_IN_FLIGHT } from './budgets.ts'
import { isBusySender } from './caller.ts'
import { buildDispatch, type ResponseObserver } from './dispatch.ts'
import { buildRouter, type Endpoint, type Services } from './endpoint.ts'
import type { DeferredResponse, HttpRequest, HttpResponse } from './http-types.ts'
import { assetPages, renderPage } from './page-html.ts'
import { networkOf, openAttempts, openRateLimiter, openSecurityLines, shareRequests } from './rate-limits.ts'
import { databaseUnavailable, organizationMoving, wireRefusalResponse } from './refusals.ts'
import { headersForPath, securityHeaders } from './security-headers.ts'
import type { Priority } from './wire/admission.ts'
import { openClientAddress, trustedProxies } from './wire/client-address.ts'
import type { ServedCertificates } from './wire/node-server.ts'
import { type HttpServerOptions, listenAddresses, openHttpServer } from './wire/server.ts'

// The HTTP server of an installation. It answers with the endpoints, pages and authentication that are handed in, and
// opens the limits of their callers. Before a request is handled, its connection, head, sender and body pass their
// limits, in this order. A busy server handles urgent requests first, and refuses those that have waited too long.

/** Addresses of this machine, used by tests, tools, and proxies. */
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i

/**
 * Returns a function that returns the network of an address, by which connections are limited. The function returns
 * null for addresses without a limit.
 */
export function connectionNetwork({
  MAX_CONNECTIONS_PER_ADDRESS: max,
  TRUST_X_REAL_IP: isBehindProxy,
  TRUSTED_PROXIES,
}: Pick<Settings, 'MAX_CONNECTIONS_PER_ADDRESS' | 'TRUST_X_REAL_IP' | 'TRUSTED_PROXIES'>): (
  address: string,
) => string | null {
  // Behind a proxy, all connections come from the proxy.
  if (max === 0 || isBehindProxy) return () => null
  const isProxy = trustedProxies(TRUSTED_PROXIES)
  return (address) => (address === '' || LOOPBACK.test(address) || isProxy(address) ? null : networkOf(address))
}

/** The path where a proxy checks whether to send requests to this server. */
const HEALTH_PATH = '/health'

/** The path where a supervisor checks whether to restart this server. */
const LIVENESS_PATH = '/health/live'

/** The parts that fail, each with the UNIX time since which every attempt has failed. */
type FindFailures = () => readonly { what: string; since: number }[]

/** Milliseconds that the database has to answer. Proxies and supervisors give up after a few seconds. */
const PATIENCE = 2000

/** Milliseconds for which a node that stops still answers requests, while its proxies learn from their checks. */
const LEAVING_TIME = 4000

/** Milliseconds after which a check no longer shows that there is a proxy. */
const MAX_CHECK_AGE = 15_000

/** Lets the proxies in front of several nodes learn that this node stops, before it accepts no more connections. */
export class Departure {
  readonly #time: number
  #checkedAt = Number.NEGATIVE_INFINITY
  #left: Promise<void> | null = null

  constructor(time = LEAVING_TIME) {
    this.#time = time
  }

  /** Notes a check of a proxy. Returns whether it must learn that the node is leaving. */
  check(): boolean {
    this.#checkedAt = performance.now()
    return this.#left !== null
  }

  /** Lets checks fail from now on. Resolves when proxies have noticed, at once if none has checked lately. */
  leave(): Promise<void> {
    const isChecked = performance.now() - this.#checkedAt < MAX_CHECK_AGE
    this.#left ??= isChecked ? sleep(this.#time) : Promise.resolve()
    return this.#left
  }
}

/**
 * Responds 200 at `/health` while the database can be read and written, else 503, within two seconds, and 200 at `/health/live` whenever the
 * process responds at all, because a restart would not bring the database back. Returns null for all other paths. The
 * first line names the state, the second one the version, the third one the feature level and the commit. Failing jobs
 * and a file store that is away follow. They do not change the status, because they would fail on another node as well.
 * A node that is leaving responds 404, because HAProxy has a setting that lets the requests in progress end then.
 */
export function healthPage(
  storage: Pick<Storage, 'isReady' | 'isWritable'>,
  findFailures: FindFailures,
  departure = new Departure(),
): (request: Pick<HttpRequest, 'method' | 'path'>) => Promise<HttpResponse> | null {
  const findState = stateFinder(storage)
  return ({ method, path }) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    if (path === HEALTH_PATH) return answer(departure.check() ? Promise.resolve(LEAVING) : findState(), findFailures)
    return path === LIVENESS_PATH ? answer(Promise.resolve(OK), findFailures) : null
  }
}

const [OK, LEAVING] = ['ok', 'This node is stopping']

/**
 * Returns a function that describes the state of the database. Requests during a check wait for it together. A check
 * that waits for a connection in use does not fail: the connection that holds the lock shows whether PostgreSQL answers.
 */
function stateFinder(storage: Pick<Storage, 'isReady' | 'isWritable'>): () => Promise<string> {
  let running: Promise<boolean> | null = null
  return async () => {
    running ??= storage.isReady().finally(() => {
      running = null
    })
    const check = running
    const isReady = await inTime(() => check, PATIENCE)
    if (isReady === null && !storage.isWritable()) return 'The database does not answer'
    return isReady === false ? 'The database is not ready' : OK
  }
}

async function answer(finding: Promise<string>, findFailures: FindFailures): Promise<HttpResponse> {
  const state = await finding
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  const lines = [state, `Parley ${programVersion}`, versionDetails, ...findFailures().map(describe)]
  return { status: STATUS[state] ?? 503, headers, body: `${lines.join('\n')}\n` }
}

const STATUS: Readonly<Record<string, number>> = { [OK]: 200, [LEAVING]: 404 }

const describe = ({ what, since }: { what: string; since: number }) =>
  `${what} has been failing since ${new Date(since * 1000).toISOString()}`

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
  return (method, path) =>
    path === HEALTH_PATH || path === LIVENESS_PATH ? 'urgent' : (declared.get(path)?.get(method) ?? 'normal')
}

const MEBIBYTE = 1024 * 1024

/** The maximum size, in bytes, of everything besides the file in a multipart body. */
const MARGIN = 64 * 1024

/**
 * Returns a function that returns the maximum size of a request's body, in bytes: 1 MiB, or more if the endpoint
 * accepts larger files. The limit is 64 KiB for endpoints without credentials and for forms of pages. Without valid
 * credentials, `openBodyGate` applies it to all others.
 */
export function bodyLimits(endpoints: readonly Endpoint[]): (method: string, path: string) => number {
  const special = endpoints.filter(({ maxUploadBytes, who }) => maxUploadBytes !== null || who === 'anyone')
  const match = buildRouter(
    special.map((endpoint) => ({ ...endpoint, handler: limitOf(endpoint) })),
    new Map(special.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint.pathTypes])),
  )
  return (method, path) => {
    const apiPath = readApiPath(path)
    if (apiPath === null) return isScimPath(path) ? MEBIBYTE : MAX_UNAUTHENTICATED
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

/** Answers requests outside the endpoints; returns null for paths that it does not serve. */
export type Pages = (request: HttpRequest) => HttpResponse | Promise<HttpResponse | DeferredResponse> | null

type AnswerRequest = (request: HttpRequest) => Promise<HttpResponse | DeferredResponse> | HttpResponse

/** Stands between the connections and everything that answers requests; for disposable servers only. */
export type Interception = {
  answer(request: HttpRequest, answer: AnswerRequest): ReturnType<AnswerRequest>
  /** Returns whether a response of the API may be one that is not in memory. */
  needsStream(): boolean
}

/** The parts of a server that read and answer the requests for the organizations of one database. */
export type Handling = Required<Pick<HttpServerOptions, 'dispatch' | 'bodyGate' | 'isBusySender'>>

/**
 * Refuses all requests for the organization of a host, whose database is away, or which is being moved to another. The
 * bodies are read, so that the connections stay usable. People get a page, which tries again by itself.
 */
export function refuseAll(reason: () => Refusal, retryAfter: number): Handling {
  const again = { 'retry-after': String(retryAfter) }
  const refuse = ({ path }: Pick<HttpRequest, 'path'>) =>
    wireRefusalResponse(reason(), { ...headersForPath(path), ...again })
  return {
    dispatch(request) {
      const asset = assetPages(request)
      if (asset !== null) return asset
      if (request.method !== 'GET' || !request.headers.accept?.includes('text/html')) return refuse(request)
      const content = html`<p>${reason().message}</p>`
      const headers = { ...again, refresh: String(retryAfter) }
      return renderPage({ status: 503, heading: t('Back in a moment'), content, headers })
    },
    bodyGate: { admit: async (head) => refuse(head), refuse: async (head) => refuse(head) },
    isBusySender: () => false,
  }
}

export type HttpOptions = {
  services: Services
  /** Returns what handles the requests for a host whose organization is in another database; null for all others. */
  findHandling?: ((host: string) => Handling | null) | undefined
  endpoints: readonly Endpoint[]
  /** Called with each response of an endpoint. */
  responseObserver?: ResponseObserver
  /** The pages with paths that would otherwise belong to the endpoints, and those that are asked after them. */
  pages: { readonly beforeApi: readonly Pages[]; readonly afterApi: readonly Pages[] }
  /** Absent except in disposable servers. */
  interception?: Interception
  /** The certificates of a server that speaks https; null for http. */
  certificates?: ServedCertificates | null
  /** Answers all other requests. */
  site: (request: HttpRequest) => Promise<HttpResponse>
  /** Begins the spans of requests. If omitted, requests are not traced. */
  tracer?: Tracer | undefined
  /** Client timeouts that replace the defaults. */
  timeouts?: NonNullable<HttpServerOptions['timeouts']>
  /** Limits on concurrent and waiting requests that replace the defaults. */
  limits?: NonNullable<HttpServerOptions['limits']>
  /** Must end the wait of waiting requests, and keep further requests from waiting. */
  onClose: () => void | Promise<void>
}

/** The parts of a server on which its limits depend. */
type LimitOptions = Pick<Services, 'settings' | 'clock' | 'random'> & {
  storage: Storage
  /** True if attempts, such as wrong passwords, are limited even with `RATE_LIMITING=false`. */
  limitsAttempts: boolean
}

/** Opens the limits of an installation: the counts of requests, attempts, work, bodies and log lines. */
export function openLimits({ storage, settings, clock, random, limitsAttempts }: LimitOptions) {
  const rateLimiter = openRateLimiter()
  const isLimited = () => settings.RATE_LIMITING || limitsAttempts
  return {
    rateLimiter: shareRequests(rateLimiter, { storage, clock }),
    attempts: openAttempts({ storage, limiter: rateLimiter, clock, random, isLimited }),
    workBudget: openWorkBudget(),
    bodyBudget: openBodyBudget(),
    inFlight: openInFlight(),
    uploadsInFlight: openInFlight(UPLOADS_IN_FLIGHT),
    securityLines: openSecurityLines(clock),
  }
}

export type PlainHttpServer = ReturnType<typeof openHttpServer>
export type HttpServer = PlainHttpServer & { readonly handling: Handling }

/** Opens the server of an installation: its limits, headers and priorities. It does not listen yet. */
export function openHttp({
  services,
  findHandling,
  endpoints,
  responseObserver,
  tracer,
  pages,
  interception,
  site,
  certificates = null,
  timeouts = {},
  limits = {},
  onClose,
}: HttpOptions): HttpServer {
  const { settings, log, meter, random, isDisposable } = services
  const bodyLimit = bodyLimits(endpoints)
  const dispatchApi = buildDispatch({ endpoints, services, ...(responseObserver && { responseObserver }) })
  const answers = [...pages.beforeApi, dispatchApi, ...pages.afterApi]
  const dispatch: AnswerRequest = (request) => {
    for (const answer of answers) {
      const answered = answer(request)
      if (answered !== null) return answered
    }
    return site(request)
  }
  const isOfApi = (path: string) => readApiPath(path) !== null
  const handling: Handling = {
    dispatch: interception === undefined ? dispatch : (request) => interception.answer(request, dispatch),
    bodyGate: openBodyGate(services),
    isBusySender: (head) => isBusySender(services, head),
  }
  const server = openHttpServer({
    ...(findHandling === undefined ? handling : handlingByHost(handling, findHandling)),
    log,
    meter,
    tracer,
    random,
    // The calls for tests accept larger bodies, because a body may describe a whole organization.
    bodyLimit: isDisposable ? (method, path) => Math.max(bodyLimit(method, path), MEBIBYTE) : bodyLimit,
    networkOf: connectionNetwork(settings),
    maxConnections: settings.MAX_CONNECTIONS_PER_ADDRESS,
    readsFiles: endpointsReadingFiles(endpoints),
    answersInMemory: interception === undefined ? isOfApi : (path) => isOfApi(path) && !interception.needsStream(),
    addressOf: openClientAddress(settings),
    certificates: certificates ?? undefined,
    fastPath: settings.HTTP_FAST_PATH,
    headersForPath,
    commonHeaders: securityHeaders(settings),
    onClose,
    timeouts,
    priorityOf: priorities(endpoints),
    limits,
  })
  return Object.assign(server, { handling })
}

/**
 * The paths that belong to the installation at every host: the checks of proxies and supervisors, which may name any
 * host, the metrics, and the pages that create organizations.
 */
const OF_INSTALLATION = /^\/(?:health|metrics|new)(?:\/|$)/

function handlingByHost(own: Handling, findHandling: (host: string) => Handling | null): Handling {
  const find = ({ host, path }: HttpRequest) => (OF_INSTALLATION.test(path) ? own : (findHandling(host) ?? own))
  return {
    dispatch: (request) => find(request).dispatch(request),
    bodyGate: {
      admit: (head, length) => find(head).bodyGate.admit(head, length),
      refuse: (head, refusal) => find(head).bodyGate.refuse(head, refusal),
    },
    isBusySender: (head) => find(head).isBusySender(head),
  }
}

export { databaseUnavailable, listenAddresses, organizationMoving, type ServedCertificates }

/**
 * Opens a server for http beside one for https. It has the same limits of connections and times, and no other content
 * than that of `answer`.
 */
export function openPlainHttp(
  { settings, log, random }: Pick<Services, 'settings' | 'log' | 'random'>,
  answer: (request: HttpRequest) => HttpResponse,
): PlainHttpServer {
  return openHttpServer({
    dispatch: answer,
    log,
    random,
    bodyLimit: () => MAX_UNAUTHENTICATED,
    networkOf: connectionNetwork(settings),
    maxConnections: settings.MAX_CONNECTIONS_PER_ADDRESS,
    fastPath: false,
    headersForPath,
    // A promise of https counts only over https (RFC 6797).
    commonHeaders: securityHeaders({ ...settings, EXTERNAL_URL: 'http://localhost' }),
  })
}
