import type { Job } from '../../platform/jobs/job.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import { openRunningJobs, type RunningJobs } from '../../platform/jobs/running-jobs.ts'
import { deliverMail, type MailContext } from './deliver-mail.ts'
import type { Mail } from './mail.ts'
import { findDueMails, findNextDueAt } from './queries.ts'

type MailJobOptions = MailContext & Pick<PeriodicTaskOptions, 'isResponsible'>

/** The number of mails sent at a time if the transport does not name one, without the slow ones. */
const CONCURRENCY = 4

/** Seconds after which a mail counts as slow. Most take less than one, and a relay that hangs is given up after 30. */
const SLOW_AFTER = 5

/** The number of slow mails at a time. They are counted apart, or they would hold up all others. */
const MAX_SLOW = 12

/** The number of mails to a domain at a time while one of them is slow: a relay may hang for that domain alone. */
const MAX_EACH_SLOW_DOMAIN = 6

const CLOSING_TIME = 5

const domainOf = ({ recipient }: Mail) => /@([a-z0-9.-]+)$/.exec(recipient.toLowerCase())?.[1] ?? ''

/**
 * Sends the mails in the outbox when they are due, and those that an earlier process left. No transaction is open while a
 * mail is being sent. On close, mails in progress have five seconds, and are deferred then.
 */
export function openMailJob(options: MailJobOptions): Job {
  const { db, clock, log, transport, isResponsible } = options
  const { concurrency = CONCURRENCY } = transport
  const {
    run: round,
    pauseAfter: rest,
    stop,
    isStopped,
    failingSince,
  } = openPeriodicTask({
    clock,
    work: takeDueMails,
    onFailure: (error) => log.error({ err: error }, 'Could not read or write the outbox'),
    isResponsible,
    onDue: () => jobs.settled(),
  })
  /** The jobs of mails, by the id of the mail. */
  const jobs: RunningJobs<number> = openRunningJobs(round)

  /** The mails that are being sent, by id. */
  const inProgress = new Map<number, { domain: string; isSlow: boolean }>()

  async function takeDueMails(): Promise<number | null> {
    // Each mail that ends or becomes slow starts a round.
    const free = countFree()
    if (free <= 0) return null
    const now = clock.now()
    const withoutDomains = findFullDomains()
    const due = await findDueMails(db, now, { limit: concurrency + inProgress.size, withoutDomains })
    if (isStopped()) return null
    for (const mail of due.filter(({ id }) => !inProgress.has(id)).slice(0, free)) {
      jobs.add(mail.id, send(mail))
      if (findFullDomains().length === withoutDomains.length) continue
      // Another round finds the mails to other domains.
      void round()
      break
    }
    const nextDueAt = await findNextDueAt(db)
    return nextDueAt !== null && nextDueAt > now ? nextDueAt : null
  }

  /** Returns how many more mails may be started. */
  function countFree(): number {
    const slow = [...inProgress.values()].filter(({ isSlow }) => isSlow).length
    return Math.min(concurrency - (inProgress.size - slow), concurrency + MAX_SLOW - inProgress.size)
  }

  async function send(mail: Mail): Promise<void> {
    const state = { domain: domainOf(mail), isSlow: false }
    inProgress.set(mail.id, state)
    const cancelTimer = clock.schedule(clock.now() + SLOW_AFTER, () => {
      state.isSlow = true
      void round()
    })
    await deliverMail(options, mail).catch(rest)
    cancelTimer()
    inProgress.delete(mail.id)
  }

  /** Returns the domains to which no further mails may be started. */
  function findFullDomains(): string[] {
    const byDomain = Map.groupBy(inProgress.values(), ({ domain }) => domain)
    const isFull = (mails: { isSlow: boolean }[]) =>
      mails.length >= MAX_EACH_SLOW_DOMAIN && mails.some(({ isSlow }) => isSlow)
    return [...byDomain].filter(([domain, mails]) => domain !== '' && isFull(mails)).map(([domain]) => domain)
  }

  async function finish() {
    void stop()
    const cancelDeadline = clock.schedule(clock.now() + CLOSING_TIME, () => transport.close())
    await jobs.settled()
    cancelDeadline()
    transport.close()
  }

  let finishing: Promise<void> | undefined
  function close() {
    finishing ??= finish()
    return finishing
  }

  void round()
  return { wake: () => void round(), settled: jobs.settled, close, failingSince }
}
