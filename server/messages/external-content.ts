import { authMethodOf } from '#http/authentication.ts'
import { type CallerServices, withApiRefusals } from '#http/caller.ts'
import type { Services } from '#http/endpoint.ts'
import type { HttpRequest, HttpResponse } from '#http/http-types.ts'
import { networkOf, type RateRule } from '#http/rate-limits.ts'
import { notFound } from '#http/refusals.ts'
import { fileResponse } from '#http/responses.ts'
import { CONTENT_POLICIES } from '#http/security-headers.ts'
import type { Clock } from '#lib/clock.ts'
import { rateLimitHit } from '#lib/errors.ts'
import { verifyExternalContentPath } from '#lib/external-content-address.ts'
import { openFairQueue, type Requester, SERVER_REQUESTER } from '#lib/fair-queue.ts'
import type { FetchMedia } from '#lib/guarded-fetch.ts'
import { canResize, imageTypeOf, inspectImage } from '#lib/images.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { hashSecret } from '#lib/secrets.ts'
import { EXTERNAL_CONTENT, type FileStore, UNFINISHED_SUFFIX } from '#storage/files.ts'

// Pictures and short videos of other sites, as this server passes them on: `/external_content/…`. Only addresses that
// this server has signed are fetched (lib/external-content-address.ts), by guarded requests of limited size and time, in a queue
// in which no caller can hold up others. Only the content decides about the type, from a list that browsers show and
// never run. The files are kept in a folder of limited size, which nodes share; failures are remembered in memory.

/** A stored picture or video. */
type StoredMedia = { name: string; size: number; contentType: string }

export type ExternalContent = Job & {
  /**
   * Returns the picture or video at an address of another site, fetching it if it is not stored; null if there is none.
   * Calls share a request that runs. `requireMayFetch` refuses callers who have caused too many requests. Throws
   * `rateLimitHit` if too many requests are waiting.
   */
  find(address: string, requester: Requester, requireMayFetch: () => void): Promise<StoredMedia | null>
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    externalContent: ExternalContent
  }
}

/** The maximum number of requests to other sites at a time: of all callers, and of one. */
const MAX_REQUESTS = 8
const MAX_REQUESTS_EACH = 3

/** Seconds for which two results are remembered: an address without a picture or video, and a network failure. */
const ABSENCE_KEPT_FOR = 3600
const FAILURE_KEPT_FOR = 300

/** The maximum number of results that are remembered. */
const MAX_FAILURES = 5000

/**
 * Files are kept in a folder for each period, in seconds. A file is used until the end of the next period, and is then
 * fetched again.
 */
const PERIOD = 7 * 86_400

/** Seconds between two cleanups. */
const CLEANUP_INTERVAL = 3600

/** The part of the cache that is emptied when it is full, so that cleanups are rare. */
const EMPTIED_PART = 1 / 4

/** The part of the cache that one node may add before it cleans up. */
const ADDED_PART = 1 / 8

type Parts = {
  files: FileStore
  clock: Clock
  log: Log
  settings: Services['settings']
  fetchMedia: FetchMedia
}

export function openExternalContent({ files, clock, log, settings, fetchMedia }: Parts): ExternalContent {
  const pending = new Map<string, Promise<StoredMedia | null>>()
  const failures = new Map<string, number>()
  const queue = openFairQueue({
    clock,
    concurrency: MAX_REQUESTS,
    concurrencyEach: MAX_REQUESTS_EACH,
    maxWaitingEach: 60,
    maxWaiting: 500,
    retryAfter: 5,
  })
  const stopping = new AbortController()
  const maxBytes = settings.EXTERNAL_CONTENT_CACHE_MIB * 1024 * 1024
  let addedBytes = 0
  const cleanup = openPeriodicTask({
    clock,
    work: cleanUp,
    onFailure: (error) => log.error({ err: error }, 'Could not delete stored pictures of other sites'),
  })

  const currentPeriod = () => Math.floor(clock.now() / PERIOD)
  const nameOf = (period: number, key: string) => `${EXTERNAL_CONTENT}/${period}/${key}`

  async function findStored(key: string): Promise<StoredMedia | null> {
    for (const period of [currentPeriod(), currentPeriod() - 1]) {
      const name = nameOf(period, key)
      const size = await files.findSize(name)
      if (size === null) continue
      const contentType = mediaTypeOf(await readStart(files, name, size))
      if (contentType !== null) return { name, size, contentType }
    }
    return null
  }

  function hasFailed(key: string): boolean {
    const until = failures.get(key)
    if (until !== undefined && until <= clock.now()) failures.delete(key)
    return failures.has(key)
  }

  function rememberFailure(key: string, seconds: number): null {
    if (failures.size >= MAX_FAILURES) failures.delete(failures.keys().next().value ?? '')
    failures.set(key, clock.now() + seconds)
    return null
  }

  async function fetchAndStore(address: string, key: string): Promise<StoredMedia | null> {
    if (stopping.signal.aborted) return null
    const bytes = await fetchMedia(address, stopping.signal)
    if (stopping.signal.aborted) return null
    if (bytes === 'unreachable') return rememberFailure(key, FAILURE_KEPT_FOR)
    const contentType = bytes === null ? null : mediaTypeOf(bytes)
    if (bytes === null || contentType === null || !(await isShowable(bytes, contentType)))
      return rememberFailure(key, ABSENCE_KEPT_FOR)
    const name = nameOf(currentPeriod(), key)
    await files.save(name, bytes)
    addedBytes += bytes.length
    if (addedBytes > maxBytes * ADDED_PART) void cleanup.run()
    return { name, size: bytes.length, contentType }
  }

  /**
   * Fetches the picture or video unless another request does so, or has done so while this one waited for its turn. A
   * request never waits for the turn of another caller.
   */
  function fetchOnce(address: string, key: string): Promise<StoredMedia | null> {
    const running = pending.get(key)
    if (running !== undefined) return running
    const fetched = findStored(key)
      .then((stored) => (stored !== null || hasFailed(key) ? stored : fetchAndStore(address, key)))
      .finally(() => pending.delete(key))
    pending.set(key, fetched)
    return fetched
  }

  /** Returns false for damaged images, and for those with so many pixels that they would burden readers. */
  async function isShowable(bytes: Buffer, contentType: string): Promise<boolean> {
    if (!contentType.startsWith('image/') || !canResize(settings)) return true
    return (await inspectImage(bytes, SERVER_REQUESTER))?.contentType === contentType
  }

  /** Deletes the files of past periods, and the oldest others if the cache is full. */
  async function cleanUp(): Promise<number> {
    addedBytes = 0
    const kept: { name: string; size: number }[] = []
    for await (const name of files.list(EXTERNAL_CONTENT)) {
      if (cleanup.isStopped()) return Number.POSITIVE_INFINITY
      if (Number(name.split('/')[1]) < currentPeriod() - 1) await files.delete(name)
      else if (!name.endsWith(UNFINISHED_SUFFIX)) kept.push({ name, size: (await files.findSize(name)) ?? 0 })
    }
    let total = kept.reduce((sum, { size }) => sum + size, 0)
    if (total > maxBytes)
      for (const { name, size } of kept.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
        if (total <= maxBytes * (1 - EMPTIED_PART)) break
        await files.delete(name)
        total -= size
      }
    return clock.now() + CLEANUP_INTERVAL
  }

  void cleanup.run()
  return {
    async find(address, requester, requireMayFetch) {
      const key = hashSecret(address)
      const stored = await findStored(key)
      if (stored !== null || hasFailed(key)) return stored
      const running = pending.get(key)
      if (running !== undefined) return running
      requireMayFetch()
      return queue.run(requester, () => fetchOnce(address, key))
    },
    wake: () => void cleanup.run(),
    settled: cleanup.run,
    async close() {
      stopping.abort()
      await cleanup.stop()
      await Promise.allSettled(pending.values())
    },
    history: cleanup.history,
  }
}

/** The number of bytes at the beginning of a file that show its type. */
const START_SIZE = 16

async function readStart(files: FileStore, name: string, size: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of files.stream(name, { start: 0, end: Math.min(size, START_SIZE) }))
    pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Brands of still images in the container of MP4 videos. */
const STILL_BRAND = /^(?:avi[fs]|hei[cfmsx]|hev[cmsx]|mi[af]1|msf1)$/

/** Returns the type of a picture or video that browsers show, by its content; null for everything else. */
function mediaTypeOf(bytes: Buffer): string | null {
  const image = imageTypeOf(bytes)
  if (image !== null) return image.contentType
  if (bytes.toString('latin1', 4, 8) === 'ftyp' && !STILL_BRAND.test(bytes.toString('latin1', 8, 12)))
    return 'video/mp4'
  return bytes.toString('hex', 0, 4) === '1a45dfa3' ? 'video/webm' : null
}

/** The limits of one account or network: calls, and calls that cause a request to another site. */
const CALL_RULES: readonly RateRule[] = [[60, 600]]
const FETCH_RULES: readonly RateRule[] = [
  [60, 120],
  [3600, 1500],
]

const PATH_PREFIX = '/external_content/'

type PageServices = CallerServices & Pick<Services, 'db' | 'files' | 'externalContent'>

/**
 * Serves pictures and videos of other sites at the paths of `externalContentPath`. Needs no login, because clients load
 * pictures without credentials. Returns null for other paths.
 */
export function externalContentPages(services: PageServices): (request: HttpRequest) => Promise<HttpResponse> | null {
  const { db, settings, clock, rateLimiter, authentication, files, externalContent } = services

  function requireRate(key: string, rules: readonly RateRule[]): void {
    if (!settings.RATE_LIMITING) return
    const verdict = rateLimiter.take(key, rules, clock.now())
    if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
  }

  async function serve(request: HttpRequest): Promise<HttpResponse> {
    const address = settings.EXTERNAL_CONTENT ? verifyExternalContentPath(db.secret(), request.path) : null
    if (address === null) throw notFound()
    const sender = await authentication.findSender(request, authMethodOf(request))
    const key = sender?.personId ?? networkOf(request.remoteAddress)
    requireRate(`external content of ${key}`, CALL_RULES)
    const requester = { key, isLimited: settings.RATE_LIMITING }
    const media = await externalContent.find(address, requester, () =>
      requireRate(`external requests of ${key}`, FETCH_RULES),
    )
    if (media === null) return NOTHING
    const { name, size, contentType } = media
    return fileResponse(request, {
      size,
      etag: `"${hashSecret(name).slice(0, 32)}"`,
      headers: headersFor(contentType),
      open: (range) => files.stream(name, range),
    })
  }

  return (request) => {
    const { method, path } = request
    if ((method !== 'GET' && method !== 'HEAD') || !path.startsWith(PATH_PREFIX)) return null
    return withApiRefusals(services, request, () => serve(request))
  }
}

/** The response for an address of this server at which the other site has no picture or video. */
const NOTHING: HttpResponse = { status: 404, headers: { 'cache-control': 'private, max-age=60' }, body: '' }

const headersFor = (contentType: string): Record<string, string> => ({
  'content-type': contentType,
  'content-disposition': `inline; filename="${contentType.replace('/', '.')}"`,
  'content-security-policy': CONTENT_POLICIES.sandboxed,
  'cache-control': 'private, max-age=86400, immutable',
})
