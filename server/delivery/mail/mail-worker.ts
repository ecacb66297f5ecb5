import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import { openRunningJobs, type RunningJobs } from '../../platform/jobs/running-jobs.ts'
import { deliverMail, type MailContext } from './deliver-mail.ts'
import type { Mail } from './mail.ts'
import { findDueMails, findNextDueAt } from './queries.ts'

/** Sends what is in the outbox when it is due. No transaction is open while a mail is under way. */
export type MailWorker = {
  /** Looks into the outbox soon. To be called after each commit that wrote `mails`, in this process or outside. */
  wake(): void
  /** Resolves when nothing that is due now is left unsent, and the clock will wake the postman for what comes next. */
  settled(): Promise<void>
  /** Sends nothing more. What is under way has five seconds to end, and is deferred then. */
  close(): Promise<void>
}

export type MailWorkerOptions = MailContext & Pick<PeriodicTaskOptions, 'isResponsible'>

/** How many mails are under way at most, where the transport does not say; without those that are slow. */
const CONCURRENCY = 4

/** Seconds after which a mail under way is slow: most take less than one, and a relay that hangs is given up after 30. */
const SLOW_AFTER = 5

/** How many slow mails are under way at most. They would keep all others waiting if they counted as the others do. */
const MAX_SLOW = 12

/** How many mails to a domain are under way at most while one of them is slow: a relay may hang at that domain alone. */
const MAX_EACH_SLOW_DOMAIN = 6

const CLOSING_TIME = 5

const domainOf = ({ recipient }: Mail) => /@([a-z0-9.-]+)$/.exec(recipient.toLowerCase())?.[1] ?? ''

/** Opens at once; mails that an earlier process left behind are sent too. */
export function openMailWorker(options: MailWorkerOptions): MailWorker {
  const { db, clock, log, transport, isResponsible } = options
  const { concurrency = CONCURRENCY } = transport
  const {
    run: round,
    pauseAfter: rest,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: takeDueMails,
    onFailure: (error) => log.error({ err: error }, 'The outbox cannot be read or written'),
    isResponsible,
    onDue: () => errands.settled(),
  })
  /** Mails, by their ids. */
  const errands: RunningJobs<number> = openRunningJobs(round)

  /** The mails that are under way, by their ids. */
  const underWay = new Map<number, { domain: string; isSlow: boolean }>()

  async function takeDueMails(): Promise<number | null> {
    // Each mail that ends or becomes slow begins a round.
    const free = countFree()
    if (free <= 0) return null
    const now = clock.now()
    const withoutDomains = findFullDomains()
    const due = await findDueMails(db, now, { limit: concurrency + underWay.size, withoutDomains })
    if (isStopped()) return null
    for (const mail of due.filter(({ id }) => !underWay.has(id)).slice(0, free)) {
      errands.add(mail.id, send(mail))
      if (findFullDomains().length === withoutDomains.length) continue
      // What is due to other domains is found by another round.
      void round()
      break
    }
    const nextDueAt = await findNextDueAt(db)
    return nextDueAt !== null && nextDueAt > now ? nextDueAt : null
  }

  /** How many more mails may be begun. */
  function countFree(): number {
    const slow = [...underWay.values()].filter(({ isSlow }) => isSlow).length
    return Math.min(concurrency - (underWay.size - slow), concurrency + MAX_SLOW - underWay.size)
  }

  async function send(mail: Mail): Promise<void> {
    const state = { domain: domainOf(mail), isSlow: false }
    underWay.set(mail.id, state)
    const cancelTimer = clock.schedule(clock.now() + SLOW_AFTER, () => {
      state.isSlow = true
      void round()
    })
    await deliverMail(options, mail).catch(rest)
    cancelTimer()
    underWay.delete(mail.id)
  }

  /** The domains to which no more mails are to be begun. */
  function findFullDomains(): string[] {
    const byDomain = Map.groupBy(underWay.values(), ({ domain }) => domain)
    const isFull = (mails: { isSlow: boolean }[]) =>
      mails.length >= MAX_EACH_SLOW_DOMAIN && mails.some(({ isSlow }) => isSlow)
    return [...byDomain].filter(([domain, mails]) => domain !== '' && isFull(mails)).map(([domain]) => domain)
  }

  async function finish() {
    void stop()
    const cancelDeadline = clock.schedule(clock.now() + CLOSING_TIME, () => transport.close())
    await errands.settled()
    cancelDeadline()
    transport.close()
  }

  let finishing: Promise<void> | undefined
  function close() {
    finishing ??= finish()
    return finishing
  }

  void round()
  return { wake: () => void round(), settled: errands.settled, close }
}
