import { type Clock, type TestClock, testClock } from '#lib/clock.ts'
import type { Job } from '#lib/jobs.ts'
import type { Log } from '#lib/log.ts'
import { type Mailbox, type MailTransport, openMailbox, openMailJob } from '#mail/delivery.ts'
import { type Mail, type QueuedMail, queueMail } from '#mail/outbox.ts'
import { findMail } from '#mail/queries.ts'
import type { EmailTemplates } from '#mail/render-email.ts'
import type { Storage } from '#storage/storage.ts'
import { openTestStorage } from '../storage.ts'

/** An outbox with its own database, and a clock that is set to 1,000,000. */
export type MailSetup = AsyncDisposable & {
  readonly storage: Storage
  readonly clock: TestClock
  readonly mailbox: Mailbox
  /** All log entries as JSON. */
  readonly logged: readonly string[]
  /** Opens a worker that wakes at commits. Earlier ones may exist, as after a crash. */
  openWorker(transport?: MailTransport, options?: { templates?: EmailTemplates; clock?: Clock }): Job
  /** Queues a greeting in its own transaction, and returns its id. */
  queue(mail?: Partial<QueuedMail>): Promise<number>
  find(id: number): Promise<Mail>
}

const greeting: EmailTemplates = {
  greeting: () => ({ subject: 'Hello', text: 'Hello\n', html: '<p>Hello</p>' }),
}

export async function openMailSetup(databaseUrl?: string): Promise<MailSetup> {
  const clock = testClock(1_000_000)
  const logged: string[] = []
  const log = collectingLog(logged)
  const storage = await openTestStorage({ url: databaseUrl, clock, log })
  const mailbox = openMailbox(clock)
  const workers: { transport: MailTransport; worker: Job }[] = []
  return {
    storage,
    clock,
    mailbox,
    logged,
    openWorker(transport = mailbox, { templates = greeting, clock: workerClock = clock } = {}) {
      const { db, transaction } = storage
      const sender = { productName: 'Parley', noReplyAddress: 'noreply@chat.test', tokenizedNoReply: true }
      const worker = openMailJob({ db, transaction, clock: workerClock, log, transport, templates, sender })
      storage.onCommit(({ written }) => written.has('mails') && worker.wake())
      workers.push({ transport, worker })
      return worker
    },
    queue(mail) {
      const greetingMail = { realmId: null, recipient: 'new@example.com', letter: 'greeting', data: {} }
      return storage.transaction((tx) => queueMail(tx, { ...greetingMail, ...mail }))
    },
    async find(id) {
      const mail = await findMail(storage.db, id)
      if (mail === null) throw new Error(`No mail ${id}`)
      return mail
    },
    async [Symbol.asyncDispose]() {
      for (const { transport, worker } of workers) {
        transport.close()
        await worker.close()
      }
      await storage.close()
    },
  }
}

function collectingLog(lines: string[]): Log {
  const write = (fields: object, message: string) => {
    const whole = (_: string, value: unknown) =>
      value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value
    lines.push(JSON.stringify({ ...fields, message }, whole))
  }
  const log: Log = {
    isLevelEnabled: () => true,
    debug: write,
    info: write,
    warn: write,
    error: write,
    security: (fields) => write(fields, 'security event'),
  }
  return log
}
