import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from '#lib/jobs/periodic-task.ts'
import { openRunningJobs, type RunningJobs } from '#lib/jobs/running-jobs.ts'
import { deliverMail, type MailContext } from './deliver-mail.ts'
import type { Mail } from './mail.ts'
import { openMailSlots } from './mail-slots.ts'
import { findDueMails, findNextDueAt } from './queries.ts'

type MailJobOptions = MailContext & Pick<PeriodicTaskOptions, 'isResponsible'>

/** The maximum number of emails sent at a time if the transport sets no limit. Slow emails do not count. */
const CONCURRENCY = 4

/**
 * Seconds after which an email counts as slow. Most emails take less than a second. The server gives up on a relay that
 * sends nothing for 30 seconds.
 */
const SLOW_AFTER = 5

const CLOSING_TIME = 5

/**
 * Sends the emails in the outbox when they are due, including emails that an earlier process left there. No transaction
 * is open while an email is being sent. On close, emails in progress get five seconds before they are deferred.
 */
export function openMailJob(options: MailJobOptions): Job {
  const { db, clock, log, transport, isResponsible } = options
  const { concurrency = CONCURRENCY } = transport
  const slots = openMailSlots(concurrency)
  const task = openPeriodicTask({
    clock,
    work: takeDueMails,
    onFailure: (error) => log.error({ err: error }, 'Could not read or write the outbox'),
    isResponsible,
    onDue: () => jobs.settled(),
  })
  /** The deliveries in progress by email id. */
  const jobs: RunningJobs<number> = openRunningJobs(task.run)

  async function takeDueMails(): Promise<number | null> {
    // When an email ends or becomes slow, another run starts.
    const free = slots.countFree()
    if (free <= 0) return null
    const now = clock.now()
    const withoutDomains = slots.findFullDomains()
    const due = await findDueMails(db, now, { limit: concurrency + slots.countTaken(), withoutDomains })
    if (task.isStopped()) return null
    for (const mail of due.filter(({ id }) => !slots.has(id)).slice(0, free)) {
      jobs.add(mail.id, send(mail))
      if (slots.findFullDomains().length === withoutDomains.length) continue
      // Another run finds the emails to other domains.
      void task.run()
      break
    }
    const nextDueAt = await findNextDueAt(db)
    return nextDueAt !== null && nextDueAt > now ? nextDueAt : null
  }

  async function send(mail: Mail): Promise<void> {
    const slot = slots.take(mail)
    const cancelTimer = clock.schedule(clock.now() + SLOW_AFTER, () => {
      slot.isSlow = true
      void task.run()
    })
    await deliverMail(options, mail).catch(task.pauseAfter)
    cancelTimer()
    slots.free(mail)
  }

  async function finish() {
    void task.stop()
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

  void task.run()
  return { wake: () => void task.run(), settled: jobs.settled, close, failingSince: task.failingSince }
}
