import type { Settings } from '#config.ts'
import { type Clock, SECONDS_PER_DAY } from '#lib/clock.ts'
import { type Job, openPeriodicTask } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import { type CheckedPair, checkPair, type ServedPairs, warnsFrom } from '../pairs.ts'
import type { Authority } from './authority.ts'
import { adviceFor, OrderFailure, toFailure } from './problems.ts'
import { type Account, openStore } from './stored.ts'

// Gets a certificate for each host, and renews it when two thirds of its life are over. One order at a time. Each attempt
// is on the disk before it begins, so that restarts do not use up the limits of the authority. Failures are logged when
// they begin and when their reason changes, and pauses between attempts grow from a minute to twelve hours.

/** The pauses after consecutive failures, in seconds. Let's Encrypt allows five failures of a host in an hour. */
const PAUSES = [60, 300, 1200, 3600, 4 * 3600, 12 * 3600] as const

/** The minimum time from a certificate to its renewal, in seconds. */
const MIN_PAUSE = 3600

/** The pause if the authority limits orders and does not say for how long, in seconds. */
const PAUSE_OF_LIMITS = 3600

/** The maximum number of first certificates for hosts of organizations in a week. Let's Encrypt allows 50 of a domain. */
const MAX_FIRST_ORDERS = 40
const WEEK = 7 * SECONDS_PER_DAY

/** The seconds by which a new certificate may begin after the time of this machine. */
const MAX_CLOCK_ERROR = 600

/** Milliseconds for which closing waits for an order. Its authorization stays valid for the next start. */
const CLOSING_TIME = 2000

/** The hosts of an installation: those that the operator named, and those of its other active organizations. */
export type Hosts = { readonly named: readonly string[]; readonly ofOrganizations: readonly string[] }

type Options = {
  settings: Settings
  clock: Clock
  log: Log
  random: Random
  pairs: ServedPairs
  findHosts: () => Promise<Hosts>
}

export type Renewal = { job: Job; begin(): void; findChallenge(host: string, token: string): string | null }

/** Reads the stored certificates. Orders nothing before `begin` is called. */
export async function openRenewal({ settings, clock, log, random, pairs, findHosts }: Options): Promise<Renewal> {
  const store = openStore(settings.DATA_DIR, log)
  const history = await store.readHistory()
  const renewals = new Map<string, number>()
  const answers = new Map<string, string>()
  const damaged = new Set<string>()
  const stopping = new AbortController()
  let authority: Promise<Authority> | undefined
  let hasBegun = false
  let warnedAt = Number.NEGATIVE_INFINITY

  /** Puts the stored certificate of a host in use. */
  async function load(host: string): Promise<void> {
    const stored = await store.readPair(host)
    if (stored === null) return
    try {
      use(host, checkPair(stored))
    } catch (error) {
      if (!damaged.has(host))
        log.error({ host, reason: (error as Error).message }, 'A stored certificate is damaged: another one is ordered')
      damaged.add(host)
    }
  }

  function use(host: string, pair: CheckedPair, earliest = 0): void {
    const life = pair.ends - pair.begins
    // Certificates that were issued together are not renewed at the same moment.
    const jitter = random.bytes(4).readUInt32BE() / 2 ** 32 / 30
    renewals.set(host, Math.max(earliest, pair.begins + life * (2 / 3 + jitter)))
    damaged.delete(host)
    pairs.set(host, pair)
  }

  /** Returns the time from which a host may be ordered. */
  function dueAt(host: string): number {
    const failed = history.hosts[host]
    return Math.max(history.pausedUntil, failed?.nextAt ?? 0, renewals.get(host) ?? 0)
  }

  /** Returns the time from which a host that never had a certificate may be ordered. */
  function firstOrderAt(): number {
    history.firstOrders = history.firstOrders.filter((time) => time > clock.now() - WEEK)
    const oldest = history.firstOrders.at(-MAX_FIRST_ORDERS)
    return oldest === undefined ? 0 : oldest + WEEK
  }

  async function work(): Promise<number | null> {
    const hosts = await findHosts()
    const all = [...hosts.named, ...hosts.ofOrganizations]
    for (const host of all) if (!renewals.has(host) && !damaged.has(host)) await load(host)
    for (const host of Object.keys(history.hosts)) if (!all.includes(host)) delete history.hosts[host]
    warnAboutEnds(all)
    let next = clock.now() + SECONDS_PER_DAY
    for (const host of all) {
      const isFirst = !renewals.has(host) && !hosts.named.includes(host) && history.hosts[host] === undefined
      const time = isFirst ? Math.max(dueAt(host), firstOrderAt()) : dueAt(host)
      if (time <= clock.now() && !stopping.signal.aborted) {
        if (isFirst) history.firstOrders.push(clock.now())
        await order(host)
      }
      next = Math.min(
        next,
        isFirst && history.hosts[host] === undefined && !renewals.has(host)
          ? Math.max(dueAt(host), firstOrderAt())
          : dueAt(host),
      )
    }
    return next
  }

  async function order(host: string): Promise<void> {
    const now = clock.now()
    const before = history.hosts[host]
    const failures = (before?.failures ?? 0) + 1
    const pause = PAUSES[Math.min(failures, PAUSES.length) - 1] as number
    const attempt = { failures, since: before?.since ?? now, nextAt: now + pause, kind: before?.kind ?? '' }
    history.hosts[host] = attempt
    await store.saveHistory(history)
    try {
      const pair = checkPair(await issue(host))
      if (pair.begins - MAX_CLOCK_ERROR > clock.now() || pair.ends < clock.now())
        throw new OrderFailure('clock', `it is valid from ${dateOf(pair.begins)} to ${dateOf(pair.ends)}`, null, true)
      await store.savePair(host, pair.pair)
      use(host, pair, now + MIN_PAUSE)
      delete history.hosts[host]
      await store.saveHistory(history)
      log.info({ host, ends: dateOf(pairs.find(host)?.ends ?? 0) }, 'A certificate was issued and is in use')
    } catch (error) {
      if (stopping.signal.aborted) return
      const failure = toFailure(error, null)
      const wait = failure.retryAfter ?? (failure.kind === 'rateLimited' ? PAUSE_OF_LIMITS : 0)
      attempt.nextAt = Math.max(attempt.nextAt, now + wait)
      attempt.kind = failure.kind
      if (failure.kind === 'accountDoesNotExist') await store.deleteAccount()
      // Earlier failures of this host alone do not hold up the others.
      if (failure.concernsAll) history.pausedUntil = now + Math.max(wait, PAUSES[0] as number)
      await store.saveHistory(history)
      report(host, failure, attempt.nextAt, before?.kind !== failure.kind)
    }
  }

  async function issue(host: string) {
    authority ??= import('./authority.ts').then(({ openAuthority }) =>
      openAuthority(settings, {
        publish: (asked, token, answer) => void answers.set(`${asked} ${token}`, answer),
        withdraw: (asked, token) => void answers.delete(`${asked} ${token}`),
      }),
    )
    const opened = await authority
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    stopped.catch(() => {})
    const onAbort = () => reject(new OrderFailure('stopping', 'the server stops', null, true))
    stopping.signal.addEventListener('abort', onAbort)
    try {
      return await Promise.race([findAccount(opened).then((account) => opened.order(host, account)), stopped])
    } finally {
      stopping.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Returns the account of the settings, which is made when it is needed. */
  async function findAccount(opened: Authority): Promise<Account> {
    const { ACME_DIRECTORY_URL: directory, ACME_EMAIL: email } = settings
    const stored = await store.readAccount()
    if (stored !== null && stored.directory === directory && stored.email === email) return stored
    const account = { directory, email, ...(await opened.register()) }
    await store.saveAccount(account)
    return account
  }

  function report(host: string, failure: OrderFailure, nextAt: number, isNew: boolean): void {
    const current = pairs.find(host)
    const state =
      current === null
        ? `There is no certificate for ${host}, so browsers cannot connect to it.`
        : `The certificate for ${host} was not renewed; it ends at ${dateOf(current.ends)}.`
    const text = `${state} ${adviceFor(failure, host, settings.ACME_DIRECTORY_URL)}. The next attempt is at ${dateOf(nextAt)}.`
    const details = { host, problem: failure.kind, reason: failure.message }
    if (isNew) log.error(details, text)
    else log.debug(details, text)
  }

  function warnAboutEnds(hosts: readonly string[]): void {
    if (clock.now() - warnedAt < SECONDS_PER_DAY) return
    for (const host of hosts) {
      const pair = pairs.find(host)
      if (pair === null || clock.now() < warnsFrom(pair)) continue
      warnedAt = clock.now()
      log.error(
        { host, ends: dateOf(pair.ends), problem: history.hosts[host]?.kind },
        'A certificate expires soon or has expired, and could not be renewed',
      )
    }
  }

  /** A host without a certificate counts as a failure of the job, also after a restart. */
  function historyOfJob(): ReturnType<Job['history']> {
    const [first] = Object.entries(history.hosts)
      .filter(([, { kind }]) => kind !== '')
      .sort(([, one], [, other]) => one.since - other.since)
    if (first === undefined) return task.history()
    const [host, { kind, since }] = first
    return { ...task.history(), failingSince: since, lastError: `${host}: ${kind}` }
  }

  const task = openPeriodicTask({
    clock,
    work,
    onFailure: (error) => log.error({ err: error }, 'The certificates could not be renewed'),
    isResponsible: () => hasBegun,
  })

  async function close(): Promise<void> {
    const timer = setTimeout(() => stopping.abort(), CLOSING_TIME)
    await task.stop()
    clearTimeout(timer)
  }

  const { named, ofOrganizations } = await findHosts()
  for (const host of [...named, ...ofOrganizations]) await load(host)
  return {
    begin() {
      hasBegun = true
      void task.run()
    },
    job: { wake: () => void task.run(), settled: task.run, close, history: historyOfJob },
    findChallenge: (host, token) => answers.get(`${host} ${token}`) ?? null,
  }
}

const dateOf = (time: number) => new Date(time * 1000).toISOString()
