import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { type FairQueueOptions, openFairQueue, type Requester } from '#lib/fair-queue.ts'
import { callService, type ServiceAnswer, type ServiceRequest } from '#lib/guarded-fetch.ts'
import type { Log } from '#lib/log.ts'
import { type GifCache, openGifCache } from './gifs/gif-cache.ts'

// Calls of services that the operator has configured, on behalf of users: the providers of video calls and of GIFs. Each
// has its own queue, in which users take turns, so that a service that does not respond delays nothing else. Requests and
// responses are limited in size and time, and never logged, because they contain credentials. The log has the status of
// responses that the operator has to know of.

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    outside: OutsideServices
  }
}

/** The services of which each has a queue of its own. */
const SERVICES = ['bigBlueButton', 'zoom', 'gifs'] as const

type ServiceName = (typeof SERVICES)[number]

const ORIGINS = {
  zoom: 'https://zoom.us',
  zoomApi: 'https://api.zoom.us',
  giphy: 'https://api.giphy.com',
  tenor: 'https://tenor.googleapis.com',
}

/** The origins of the services that are the same for all installations. */
export type ServiceOrigins = Readonly<typeof ORIGINS>

/** Sends a request. Returns null if there is no complete response. */
export type CallService = (request: ServiceRequest) => Promise<ServiceAnswer | null>

export type OutsideServices = {
  readonly origins: ServiceOrigins
  readonly gifs: GifCache
  /**
   * Runs work that sends requests to a service. A user has at most one running job for each service; throws
   * `rateLimitHit` if too many wait.
   */
  run<Result>(service: ServiceName, requester: Requester, work: (call: CallService) => Promise<Result>): Promise<Result>
  /** Aborts all requests. */
  close(): void
}

/** The time limit of a request, in seconds. */
const TIME_LIMIT = 10

const QUEUE: Omit<FairQueueOptions, 'clock'> = { concurrency: 8, maxWaitingEach: 3, maxWaiting: 200, retryAfter: 5 }

export function openOutsideServices({
  settings,
  clock,
  log,
  origins = {},
}: {
  settings: Settings
  clock: Clock
  log: Log
  /** The origins that replace those of the services, for tests. */
  origins?: Partial<ServiceOrigins> | undefined
}): OutsideServices {
  const closing = new AbortController()
  const queues = new Map(SERVICES.map((service) => [service, openFairQueue({ clock, ...QUEUE })]))

  /** The operator's own servers may be on a private network. */
  const privateHosts = () => [
    ...settings.OUTGOING_WEBHOOK_PRIVATE_HOSTS,
    ...[settings.BIG_BLUE_BUTTON_URL].filter(Boolean).map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '')),
  ]

  async function call(service: ServiceName, request: ServiceRequest): Promise<ServiceAnswer | null> {
    const answer = await callService(request, {
      timeLimit: TIME_LIMIT,
      privateHosts: service === 'bigBlueButton' ? privateHosts() : settings.OUTGOING_WEBHOOK_PRIVATE_HOSTS,
      signal: closing.signal,
    })
    const status = answer?.status ?? null
    // Zoom also refuses users who withdrew their permission.
    const isFailure = status === null || status >= 500 || (status >= 300 && service !== 'zoom')
    if (isFailure && !closing.signal.aborted) log.warn({ service, status }, 'A service does not respond as expected')
    return answer
  }

  return {
    origins: { ...ORIGINS, ...origins },
    gifs: openGifCache(clock),
    run: (service, requester, work) =>
      queues.get(service)!.run(requester, () => work((request) => call(service, request))),
    close: () => closing.abort(),
  }
}
