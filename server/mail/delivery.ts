import { format } from 'node:util'
import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { type Job, openPeriodicTask, openRunningJobs, type PeriodicTaskOptions, type RunningJobs } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import type { Db, RunTransaction } from '#storage/storage.ts'
import { type AttemptOutcome, hasUnsubscribed, type Mail, nextAttemptAt } from './outbox.ts'
import { findDueMails, findNextDueAt, finishAttempt, finishMail, saveAttempt, saveDeferral } from './queries.ts'
import { type EmailMessage, type EmailRenderer, emailHeaders, isBareAddress, renderEmail } from './render-email.ts'

// The ways in which an email leaves the outbox: through a relay, into a mailbox of tests, or not at all; and the job
// that sends the emails that are due. A failure of a relay is a result, never an exception. A recorded session contains
// no credentials. An attempt is recorded before it is made, so a crash leads to one email too many at most, never to a
// lost one.

/** Sends emails. Every response or failure of a relay is returned as a result. Only bugs throw errors. */
export type MailTransport = {
  /** Calls `listen` with each line that the server and the relay exchange. */
  send(message: EmailMessage, listen?: DialogueListener): Promise<DeliveryResult>
  /** The maximum number of emails sent at a time, not counting slow ones; 4 if omitted. */
  readonly concurrency?: number
  /** Aborts the emails in progress, which are deferred. */
  close(): void
}

/**
 * The outcome of sending an email. A `deferred` email may be tried again, a `refused` one may not; a `kept` one stays
 * in the outbox.
 */
export type DeliveryResult = {
  outcome: 'sent' | 'kept' | 'deferred' | 'refused'
  reply: string
  /** Advice for the administrator of the server. */
  advice?: string
}

/**
 * Receives each line of an SMTP session. Lines of this server start with `> `, lines of the relay with `< `, and
 * connection events with `* `.
 */
type DialogueListener = (line: string) => void

export type CollectedMail = {
  /** Ids ascend, and a mailbox never reuses one. */
  id: number
  to: string[]
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  sentAt: number
}

/** A transport that delivers to a mailbox in memory, where tests read the emails. */
export type Mailbox = MailTransport & {
  /** Returns the emails, oldest first. `to` ignores upper and lower case. */
  mails(filter?: { to?: string; afterId?: number }): CollectedMail[]
  empty(): void
}

/** The transport without a relay: emails stay in the outbox, where an administrator of the server can read them. */
export const storeOnlyTransport: MailTransport = {
  send: async () => ({ outcome: 'kept', reply: 'No mail relay is configured (SMTP_URL)' }),
  close: () => {},
}

/** Returns whether emails leave the outbox. Test servers deliver them to their mailbox. */
export const sendsEmail = ({ settings, isDisposable }: { settings: Settings; isDisposable: boolean }): boolean =>
  isDisposable || settings.SMTP_URL !== ''

export function openMailbox(clock: Clock): Mailbox {
  let lastId = 0
  let collected: CollectedMail[] = []
  return {
    async send(message) {
      const headers = emailHeaders(message)
      const { subject, text, html } = message
      lastId += 1
      collected.push({
        id: lastId,
        to: [message.to],
        from: headers.From ?? '',
        subject,
        text,
        html,
        headers,
        sentAt: clock.now(),
      })
      return { outcome: 'sent', reply: '250 Collected' }
    },
    mails({ to, afterId = 0 } = {}) {
      const key = to?.toLowerCase()
      return collected.filter(
        (mail) => mail.id > afterId && (key === undefined || mail.to.some((address) => address.toLowerCase() === key)),
      )
    },
    empty() {
      collected = []
    },
    // Emails are sent one at a time, so that they arrive in the same order as in the outbox.
    concurrency: 1,
    close: () => {},
  }
}

const LINES = 100
const LINE_LENGTH = 500

/** Records a session: at most 100 lines of 500 characters. */
function recordDialogue(): { listen: DialogueListener; text(): string | null } {
  const lines: string[] = []
  return {
    listen(line) {
      if (lines.length < LINES) lines.push(line.slice(0, LINE_LENGTH))
    },
    text: () => (lines.length === 0 ? null : lines.join('\n')),
  }
}

type Entry = { tnx?: string; outByteCount?: number }
type LogLine = (entry: Entry, message: string, ...values: unknown[]) => void

/**
 * Returns a logger for nodemailer that passes on the session without the email itself and without the credentials. `mask`
 * removes other secrets.
 */
export function dialogueLog(
  listen: DialogueListener,
  mask: (line: string) => string,
): Record<'debug' | 'info', LogLine> {
  let authenticates = false

  function passOn({ tnx, outByteCount }: Entry, text: string): void {
    if (tnx === 'client') listen(`> ${maskOurs(text)}`)
    else if (tnx === 'server') for (const line of text.split(/\r?\n/)) listen(`< ${maskTheirs(line)}`)
    else if (tnx === 'network') listen(`* ${text}`)
    else if (outByteCount !== undefined) listen(`> (the mail: ${outByteCount} bytes)`)
  }

  function maskOurs(line: string): string {
    const [verb, method] = line.split(' ')
    if (verb?.toUpperCase() === 'AUTH') {
      authenticates = true
      return `AUTH ${method} ***`
    }
    return authenticates ? '***' : line
  }

  function maskTheirs(line: string): string {
    if (!line.startsWith('334')) authenticates = false
    return mask(line)
  }

  const log: LogLine = (entry, message, ...values) => passOn(entry, format(message, ...values))
  return { debug: log, info: log }
}

// The job. Slow relays and domains do not hold up other emails.

/** The maximum number of slow emails at a time. They are counted separately, so that they do not hold up all others. */
const MAX_SLOW = 12

/**
 * The maximum number of emails to one domain at a time if one of them is slow. A relay may hang for that domain alone.
 */
const MAX_EACH_SLOW_DOMAIN = 6

type MailSlot = { readonly domain: string; isSlow: boolean }

/** Limits the number of emails sent at a time. */
type MailSlots = {
  take(mail: Mail): MailSlot
  free(mail: Mail): void
  has(mailId: number): boolean
  countTaken(): number
  /** Returns the number of emails that can be started now. */
  countFree(): number
  /** Returns the domains to which no more emails can be started. */
  findFullDomains(): string[]
}

const domainOf = ({ recipient }: Mail) => /@([a-z0-9.-]+)$/.exec(recipient.toLowerCase())?.[1] ?? ''

/** Opens slots for `concurrency` emails at a time. Slow emails do not count. */
function openMailSlots(concurrency: number): MailSlots {
  const taken = new Map<number, MailSlot>()
  const isFull = (slots: MailSlot[]) => slots.length >= MAX_EACH_SLOW_DOMAIN && slots.some(({ isSlow }) => isSlow)
  return {
    take(mail) {
      const slot = { domain: domainOf(mail), isSlow: false }
      taken.set(mail.id, slot)
      return slot
    },
    free: ({ id }) => void taken.delete(id),
    has: (mailId) => taken.has(mailId),
    countTaken: () => taken.size,
    countFree() {
      const slow = [...taken.values()].filter(({ isSlow }) => isSlow).length
      return Math.min(concurrency - (taken.size - slow), concurrency + MAX_SLOW - taken.size)
    },
    findFullDomains() {
      const byDomain = Map.groupBy(taken.values(), ({ domain }) => domain)
      return [...byDomain].filter(([domain, slots]) => domain !== '' && isFull(slots)).map(([domain]) => domain)
    },
  }
}

type MailContext = EmailRenderer & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** Receives the outcomes of attempts. If omitted, nothing is measured. */
  meter?: Meter | undefined
  transport: MailTransport
}

/** If the process crashes during the last attempt, that attempt is repeated after this many seconds. */
const LAST_GRACE = 60

/**
 * Makes one attempt to send an email and records its outcome. The attempt is counted before it is made: if the process
 * crashes in between, the email may later be sent a second time, with the same Message-ID.
 */
async function deliverMail(room: MailContext, mail: Mail): Promise<void> {
  const { transaction, clock } = room
  const attempts = mail.attempts + 1
  const begun = await transaction(async (tx) => {
    const id = await saveAttempt(tx, mail, nextAttemptAt(attempts, tx.now) ?? tx.now + LAST_GRACE)
    return id === null ? null : { id, now: tx.now }
  })
  if (begun === null) return

  const dialogue = recordDialogue()
  const { outcome, reply } = await attempt(room, mail, begun.now, dialogue.listen)
  const retryAt = outcome === 'deferred' ? nextAttemptAt(attempts, clock.now()) : null
  const state = outcome === 'deferred' || outcome === 'refused' ? 'failed' : outcome
  await transaction(async (tx) => {
    await finishAttempt(tx, begun.id, { outcome, reply, dialogue: dialogue.text() })
    if (retryAt !== null) await saveDeferral(tx, mail.id, retryAt, reply ?? '')
    else await finishMail(tx, mail.id, state, reply)
  })

  room.meter?.deliveryEnded('email', retryAt === null ? state : 'deferred')
  const facts = { mailId: mail.id, letter: mail.letter, attempts, reply }
  if (retryAt !== null) room.log.warn({ ...facts, retryAt }, 'Email deferred')
  else if (state === 'failed') room.log.error(facts, 'Email failed')
  else room.log.info(facts, `Email ${state}`)
}

/**
 * Sends the email. If it cannot be rendered, that is a bug: the error is logged and the email is deferred, so that the
 * server sends it once the bug is fixed.
 */
async function attempt(
  { db, log, transport, ...renderer }: MailContext,
  mail: Mail,
  now: number,
  listen: DialogueListener,
): Promise<{ outcome: AttemptOutcome; reply: string | null }> {
  if (!isBareAddress(mail.recipient))
    return { outcome: 'refused', reply: 'The recipient is not a single plain address' }
  try {
    const message = await renderEmail(db, mail, renderer, now)
    if (message === null) return { outcome: 'cancelled', reply: null }
    if (await isUnwanted(db, mail, message)) return { outcome: 'refused', reply: 'The recipient has unsubscribed' }
    return await transport.send(message, listen)
  } catch (error) {
    log.error({ mailId: mail.id, letter: mail.letter, err: error }, 'Could not render an email')
    return { outcome: 'deferred', reply: 'The email could not be rendered. See the server log.' }
  }
}

/** Returns true for an invitation to an address that has unsubscribed. Users with accounts unsubscribe in their settings. */
async function isUnwanted(
  db: Db,
  { realmId, recipient, invitationId }: Mail,
  { unsubscribe }: EmailMessage,
): Promise<boolean> {
  return unsubscribe !== null && realmId !== null && invitationId !== null && hasUnsubscribed(db, realmId, recipient)
}

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
  return { wake: () => void task.run(), settled: jobs.settled, close, history: task.history }
}
