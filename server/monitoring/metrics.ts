import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import type { Settings } from '#config.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { listenAddresses } from '#http/server.ts'
import { OperatorError } from '#lib/errors.ts'
import type { DeliveryKind, FileOperation, MeasuredRequest, Meter, StatementKind } from '#lib/meter.ts'
import { equalSecrets, hashSecret } from '#lib/secrets.ts'
import { methodLabel, OTHER_ROUTE, routeLabels } from './metrics/routes.ts'
import { addCounter, addHistogram, type Series } from './metrics/series.ts'
import { addState, type WatchedParts } from './metrics/state.ts'

// The metrics of a server for Prometheus, in a registry of its own. Labels have few values, whatever clients send: the
// templates of routes rather than paths, and no ids of organizations or users. Nothing is measured unless METRICS_PORT
// or METRICS_TOKEN is set. On PORT, only the token opens them; without it, the page is not there.

export type { WatchedParts }

const METRICS_PATH = '/metrics'

/** Seconds for which the same text is returned again, so that many readers cost no more than one. */
const KEPT_FOR = 1

export type Metrics = {
  readonly meter: Meter
  /** Adds the state of the parts, and the names of the routes. It must be called once, before `text`. */
  watch(parts: WatchedParts, routes: Routes): void
  /** Returns all metrics in the format of Prometheus. */
  text(): Promise<string>
  /** Answers `/metrics` for holders of METRICS_TOKEN; returns null for all other paths, and without a token. */
  page(request: Pick<HttpRequest, 'method' | 'path' | 'headers'>): Promise<HttpResponse> | HttpResponse | null
  /** Serves them at METRICS_PORT, if it is set. Rejects with an `OperatorError` if that is not possible. */
  listen(): Promise<void>
  close(): Promise<void>
}

type Routes = { readonly endpoints: readonly Endpoint[]; readonly pages: readonly { readonly path: string }[] }

const SECONDS = { request: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] } as const
const SHORT = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Opens the metrics of one server. */
export function openMetrics(settings: Settings): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of NOT_OF_USE) registry.removeSingleMetric(name)
  const requests = openRequests(registry)
  const meter = openMeter(registry, requests.ended)
  let readState = async () => {}
  const servers: Server[] = []
  let last: { text: Promise<string>; at: number } | null = null

  async function read(): Promise<string> {
    await readState()
    return registry.metrics()
  }

  function text(): Promise<string> {
    const now = performance.now() / 1000
    if (last === null || now - last.at > KEPT_FOR) last = { text: read(), at: now }
    return last.text
  }

  const respond = async (): Promise<HttpResponse> => {
    return {
      status: 200,
      headers: { 'content-type': registry.contentType, 'cache-control': 'no-store' },
      body: await text(),
    }
  }

  return {
    meter,
    watch(parts, { endpoints, pages }) {
      readState = addState(registry, parts)
      requests.nameRoutes(routeLabels(endpoints, pages))
    },
    text,
    page({ method, path, headers }) {
      if (path !== METRICS_PATH || settings.METRICS_TOKEN === '') return null
      if (method !== 'GET' && method !== 'HEAD') return null
      return isHolder(headers.authorization, settings.METRICS_TOKEN) ? respond() : TOKEN_NEEDED
    },
    async listen() {
      if (settings.METRICS_PORT === 0) return
      const [one, other] = listenAddresses(settings.METRICS_LISTEN_HOST)
      const open = () => {
        const server = createMetricsServer(respond)
        servers.push(server)
        return server
      }
      await listenOn(open(), one, settings)
      // The machine may not have the second address.
      if (other !== undefined) await listenOn(open(), other, settings).catch(() => {})
    },
    async close() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
      registry.clear()
    },
  }
}

/** Metrics of prom-client with names that Prometheus advises against. The same is in others. */
const NOT_OF_USE = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

function isHolder(authorization: string | undefined, token: string): boolean {
  const [, given] = /^Bearer (.+)$/i.exec(authorization ?? '') ?? []
  return given !== undefined && equalSecrets(hashSecret(given), hashSecret(token))
}

const TOKEN_NEEDED: HttpResponse = {
  status: 401,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'www-authenticate': 'Bearer realm="metrics"',
  },
  body: 'The metrics need the header "Authorization: Bearer" with the value of METRICS_TOKEN.\n',
}

/** Milliseconds that a request for metrics may take to arrive. */
const ARRIVAL_TIME = 5000

/** The maximum number of connections for metrics. */
const MAX_CONNECTIONS = 16

function createMetricsServer(respond: () => Promise<HttpResponse>): Server {
  const answer = async ({ url, method }: IncomingMessage, response: ServerResponse) => {
    const path = url?.split('?', 1)[0]
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
      return
    }
    if (path !== METRICS_PATH) {
      response.writeHead(404).end(`The metrics are at ${METRICS_PATH}\n`)
      return
    }
    const { status, headers, body } = await respond()
    response.writeHead(status, headers as Record<string, string>).end(method === 'HEAD' ? undefined : body)
  }
  const options = { requestTimeout: ARRIVAL_TIME, headersTimeout: ARRIVAL_TIME, connectionsCheckingInterval: 1000 }
  const server = createServer(options, (request, response) => {
    answer(request, response).catch(() => response.headersSent || response.writeHead(500).end())
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

function listenOn(
  server: Server,
  address: string,
  { METRICS_LISTEN_HOST: host, METRICS_PORT: port }: Settings,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (error) =>
    reject(
      new OperatorError(`METRICS_PORT: cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error }),
    ),
  )
  server.listen({ host: address, port, exclusive: true, ipv6Only: host !== address }, () => {
    server.removeAllListeners('error').unref()
    resolve()
  })
  return promise
}

/** The times and the counts of the requests of one route and method. */
type RouteSeries = { readonly seconds: Series; readonly byStatus: Map<number, Counted> }
type Counted = { readonly labels: Record<string, string>; value: number }

/** Counts requests by route, method and status. */
function openRequests(registry: Registry) {
  let labelOf: (path: string) => string = () => OTHER_ROUTE
  const counted: Counted[] = []
  const byRoute = new Map<string, Map<string, RouteSeries>>()
  const seconds = addHistogram(registry, {
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response. Polls for events wait for an event.',
    bounds: SECONDS.request,
  })
  const help = 'Requests that were answered, by route, method and status.'
  addCounter(registry, { name: 'parley_http_requests_total', help, read: () => counted })

  function seriesOf(route: string, method: string): RouteSeries {
    const methods = byRoute.get(route) ?? new Map<string, RouteSeries>()
    byRoute.set(route, methods)
    let series = methods.get(method)
    if (series === undefined) {
      series = { seconds: seconds.add({ route, method }), byStatus: new Map() }
      methods.set(method, series)
    }
    return series
  }

  return {
    nameRoutes(given: (path: string) => string) {
      labelOf = given
    },
    ended({ method: given, path, status, seconds }: MeasuredRequest) {
      const [route, method] = [labelOf(path), methodLabel(given)]
      const series = seriesOf(route, method)
      series.seconds.observe(seconds)
      let count = series.byStatus.get(status)
      if (count === undefined) {
        count = { labels: { route, method, status: String(status) }, value: 0 }
        series.byStatus.set(status, count)
        counted.push(count)
      }
      count.value += 1
    },
  }
}

function openMeter(registry: Registry, requestEnded: Meter['requestEnded']): Meter {
  const registers = [registry]
  const refused = new Counter({
    ...{ name: 'parley_http_requests_refused_total', help: 'Requests that were refused, by the code of the refusal.' },
    ...{ labelNames: ['reason'] as const, registers },
  })
  const events = new Counter({ name: 'parley_events_sent_total', help: 'Events in responses to polls.', registers })
  const rollbacks = new Counter({
    ...{
      name: 'parley_transactions_rolled_back_total',
      help: 'Transactions that were rolled back, also to repeat them.',
    },
    registers,
  })
  const deliveries = new Counter({
    ...{ name: 'parley_deliveries_total', help: 'Attempts to deliver emails, webhooks and notifications, by outcome.' },
    ...{ labelNames: ['kind', 'outcome'] as const, registers },
  })
  const fileFailures = new Counter({
    ...{ name: 'parley_file_operation_failures_total', help: 'Operations on the file store that failed.' },
    ...{ labelNames: ['operation'] as const, registers },
  })
  const checkpointFailures = new Counter({
    ...{ name: 'parley_sqlite_checkpoint_failures_total', help: 'Checkpoints of SQLite that failed.' },
    registers,
  })
  const histogram = (name: string, help: string) => addHistogram(registry, { name, help, bounds: SHORT })
  const statements = histogram('parley_statement_duration_seconds', 'Time of SQL statements, by kind.')
  const files = histogram('parley_file_operation_duration_seconds', 'Time of operations on the file store.')
  const commits = histogram('parley_commit_duration_seconds', 'Time of commits until they were durable.').add({})
  const checkpoints = histogram('parley_sqlite_checkpoint_duration_seconds', 'Time of checkpoints of SQLite.').add({})
  const byKind = Object.fromEntries(
    (['select', 'insert', 'update', 'delete', 'other'] as const).map((kind) => [kind, statements.add({ kind })]),
  ) as Record<StatementKind, Series>
  const byOperation = Object.fromEntries(
    (['save', 'read', 'find', 'stream', 'delete', 'list'] as const).map((operation) => [
      operation,
      files.add({ operation }),
    ]),
  ) as Record<FileOperation, Series>
  return {
    requestEnded,
    requestRefused: (reason) => refused.inc({ reason }),
    statementEnded: (kind, seconds) => byKind[kind].observe(seconds),
    transactionCommitted: (seconds) => commits.observe(seconds),
    transactionRolledBack: () => rollbacks.inc(),
    checkpointEnded(seconds, hasFailed) {
      checkpoints.observe(seconds)
      if (hasFailed) checkpointFailures.inc()
    },
    fileOperationEnded(operation, seconds, hasFailed) {
      byOperation[operation].observe(seconds)
      if (hasFailed) fileFailures.inc({ operation })
    },
    eventsSent: (count) => events.inc(count),
    deliveryEnded: (kind: DeliveryKind, outcome) => deliveries.inc({ kind, outcome }),
  }
}
