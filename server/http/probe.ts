import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fingerprintSettings, type Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { programVersion } from '#lib/process.ts'
import { isLoopbackHost } from '#lib/public-address.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import type { Services } from './endpoint.ts'
import type { HttpRequest, HttpResponse } from './http-types.ts'

// A page with which `parley doctor` finds out how requests reach the server: through which proxy, with which headers,
// and how fast responses come back. Only who knows the secret of the installation can make the permit that it needs; a
// permit is valid for two minutes. Without one, the page is missing, like any other path that does not exist.

export const PROBE_PATH = '/health/probe'

/** The header with the permit. A query would be in the logs of proxies. */
export const PROBE_HEADER = 'x-parley-probe'

/** Seconds for which a permit is valid: longer than the longest wait. */
const VALIDITY = 120

/** The maximum number of seconds that a response can be delayed. */
const MAX_WAIT = 60

/** The maximum length of a permit in characters; longer ones are not read. */
const MAX_PERMIT = 200

/** The maximum number of responses that wait at a time. */
const MAX_WAITING = 10

const PURPOSE = ['probe of the operator']

/** Returns a permit for the page. */
export function makeProbePermit({ secret, clock, random }: Pick<Services, 'secret' | 'clock' | 'random'>): string {
  return seal(secret, PURPOSE, [Math.floor(clock.now()) + VALIDITY, random.bytes(9).toString('base64url')])
}

function isPermitted(permit: unknown, { secret, clock }: Pick<Services, 'secret' | 'clock'>): boolean {
  if (typeof permit !== 'string' || permit.length > MAX_PERMIT) return false
  const content = readSealedContent(permit)
  if (!Array.isArray(content) || !verifySeal(secret, PURPOSE, content, permit)) return false
  const left = Number(content[0]) - clock.now()
  return left > 0 && left <= VALIDITY
}

/** The headers by which proxies describe the client and the original request. */
const FORWARDING_HEADERS = [
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'forwarded',
  'via',
] as const

/** The server as it describes itself to the operator. */
export type ProbedServer = {
  /** Differs from that of all other processes. */
  instance: string
  pid: number
  uid: number | null
  version: string
  node: string
  /** The time of its clock, in UNIX seconds. */
  time: number
  started_at: number
  /** The last host at which someone opened the sign-in page although EXTERNAL_URL is for this machine only. */
  other_host: string | null
  /** The request as it arrived. */
  host: string
  remote_address: string
  peer_address: string
  forwarding: Partial<Record<(typeof FORWARDING_HEADERS)[number], string>>
  /** The maximum number of open files, and of those that are open; null where the system does not say. */
  max_open_files: number | null
  /** In bytes; the limit is null if there is none. */
  memory: { used: number; limit: number | null }
  failing_jobs: readonly { name: string; since: number }[]
  /** A keyed hash of the value of each setting. */
  settings: Record<string, string>
}

type ProbeServices = Pick<Services, 'secret' | 'clock' | 'settings' | 'startedAt'>

/** Remembers at which host people sign in, if EXTERNAL_URL is still that of this machine, and logs it once. */
export function watchSignIns({ settings, log }: { settings: Pick<Settings, 'EXTERNAL_URL'>; log: Log }) {
  const isLocal = isLoopbackHost(new URL(settings.EXTERNAL_URL).hostname)
  let otherHost: string | null = null

  function note(host: string): void {
    const [name] = HOST.exec(host) ?? []
    if (name === undefined || isLoopbackHost(name.replace(/:\d*$/, ''))) return
    if (otherHost === null)
      log.warn(
        { host: name, EXTERNAL_URL: settings.EXTERNAL_URL },
        'Someone signs in at another address than EXTERNAL_URL. Set EXTERNAL_URL to it, because links in emails lead there',
      )
    otherHost = name
  }

  return {
    otherHost: () => otherHost,
    /** Answers nothing. */
    page({ path, host }: Pick<HttpRequest, 'path' | 'host'>): null {
      if (isLocal && path === '/login/') note(host)
      return null
    },
  }
}

/** A Host header that can be printed. */
const HOST = /^[\w.:[\]-]{1,255}$/

/** Returns the page, which responds after the number of seconds that the query `after` names. */
export function probePage(
  services: ProbeServices,
  state: { failingJobs: () => ProbedServer['failing_jobs']; otherHost: () => string | null },
): (request: HttpRequest) => Promise<HttpResponse> | null {
  const instance = randomUUID()
  let waiting = 0

  async function answer({ query, host, remoteAddress, peerAddress, headers }: HttpRequest): Promise<HttpResponse> {
    const wait = Math.min(Number(query.get('after')) || 0, MAX_WAIT)
    if (wait > 0) {
      if (waiting >= MAX_WAITING) return toResponse(429, {})
      waiting++
      await waitFor(services.clock, wait)
      waiting--
    }
    const forwarding = Object.fromEntries(
      FORWARDING_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
    )
    const content: ProbedServer = {
      ...{
        instance,
        pid: process.pid,
        uid: process.getuid?.() ?? null,
        version: programVersion,
        node: process.version,
      },
      time: services.clock.now(),
      started_at: services.startedAt,
      other_host: state.otherHost(),
      ...{ host, remote_address: remoteAddress, peer_address: peerAddress, forwarding },
      max_open_files: findMaxOpenFiles(),
      memory: { used: process.memoryUsage.rss(), limit: findMemoryLimit() },
      failing_jobs: state.failingJobs(),
      settings: fingerprintSettings(services.settings, services.secret),
    }
    return toResponse(200, content)
  }

  return (request) =>
    request.path === PROBE_PATH && request.method === 'GET' && isPermitted(request.headers[PROBE_HEADER], services)
      ? answer(request)
      : null
}

const waitFor = (clock: Clock, seconds: number) =>
  new Promise<void>((resolve) => {
    clock.schedule(clock.now() + seconds, resolve)
  })

const toResponse = (status: number, content: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(content),
})

/** Returns the maximum number of open files of this process; null if the system does not say. */
export function findMaxOpenFiles(): number | null {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return found === null ? null : Number(found[1])
  } catch {
    return null
  }
}

/** Returns the memory that this process may use, if it is limited, in bytes. */
export function findMemoryLimit(): number | null {
  const limit = process.constrainedMemory()
  // Without a limit, it is 0, or more than any machine has.
  return limit === 0 || limit > 2 ** 50 ? null : limit
}
