import type { Tracer } from '#lib/meter.ts'
import { programVersion } from '#lib/process.ts'
import type { RunTransaction } from '#storage/storage.ts'
import { methodLabel, routeLabels } from './metrics/routes.ts'

// Traces by OpenTelemetry. The operator loads an SDK before the server (`--import`), which registers itself; without
// one, nothing of this runs. Spans have the names of routes and no paths, addresses or ids of people.

type Api = Pick<
  typeof import('@opentelemetry/api'),
  'context' | 'propagation' | 'trace' | 'SpanKind' | 'SpanStatusCode'
>

export type Traces = {
  readonly tracer: Tracer
  /** Sets the routes after which spans are named. */
  nameRoutes(...routes: Parameters<typeof routeLabels>): void
  /** Returns a function that runs transactions in spans of their own. */
  traced(run: RunTransaction): RunTransaction
}

/** The symbol under which an SDK registers itself, for all copies of the API. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1')

/** Returns the traces; null if no SDK is loaded. */
export async function openTracesIfLoaded(): Promise<Traces | null> {
  const registered = Reflect.get(globalThis, REGISTERED) as { trace?: unknown } | undefined
  return registered?.trace === undefined ? null : openTraces(await import('@opentelemetry/api'))
}

function openTraces({ context, propagation, trace, SpanKind, SpanStatusCode }: Api): Traces {
  const tracer = trace.getTracer('parley', programVersion)
  let labelOf: (path: string) => string = () => 'other'
  return {
    nameRoutes(...routes) {
      labelOf = routeLabels(...routes)
    },
    tracer: {
      begin({ method: given, path, headers }) {
        const [method, route] = [methodLabel(given), labelOf(path)]
        const parent = propagation.extract(context.active(), headers)
        const attributes = { 'http.request.method': method, 'http.route': route }
        const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent)
        const inside = trace.setSpan(parent, span)
        return {
          run: (work) => context.with(inside, work),
          end(status) {
            span.setAttribute('http.response.status_code', status)
            if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
            span.end()
          },
        }
      },
    },
    traced: (run) => (work, options) =>
      tracer.startActiveSpan('transaction', async (span) => {
        try {
          return await run(work, options)
        } catch (error) {
          // Refusals roll back, too, and are no faults.
          span.setAttribute('parley.rolled_back', true)
          throw error
        } finally {
          span.end()
        }
      }),
  }
}
