import type { EmailTemplates } from '../../server/delivery/mail/email-template.ts'
import type { Mail } from '../../server/delivery/mail/mail.ts'
import { type MailWorker, openMailWorker } from '../../server/delivery/mail/mail-worker.ts'
import { type Mailbox, openMailbox } from '../../server/delivery/mail/mailbox.ts'
import { type QueuedMail, queueMail } from '../../server/delivery/mail/outbox.ts'
import { findMail } from '../../server/delivery/mail/queries.ts'
import type { MailTransport } from '../../server/delivery/mail/transport.ts'
import { type Clock, type TestClock, testClock } from '../../server/platform/runtime/clock.ts'
import type { Log } from '../../server/platform/runtime/log.ts'
import type { Storage } from '../../server/platform/storage/storage.ts'
import { openTestStorage } from '../storage.ts'

/** An outbox over a storage of its own, with a clock that stands at 1,000,000. */
export type MailSetup = AsyncDisposable & {
  readonly storage: Storage
  readonly clock: TestClock
  readonly mailbox: Mailbox
  /** Every line that was logged, as JSON. */
  readonly logged: readonly string[]
  /** Opens a postman that hears of commits; another may have been opened, and forgotten, before. */
  employ(transport?: MailTransport, options?: { writers?: EmailTemplates; clock?: Clock }): MailWorker
  /** Queues a greeting in a transaction of its own; returns its id. */
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
  const employed: { transport: MailTransport; postman: MailWorker }[] = []
  return {
    storage,
    clock,
    mailbox,
    logged,
    employ(transport = mailbox, { writers = greeting, clock: itsClock = clock } = {}) {
      const { db, transaction } = storage
      const sender = { productName: 'Parley', noReplyAddress: 'noreply@chat.test', tokenizedNoReply: true }
      const postman = openMailWorker({ db, transaction, clock: itsClock, log, transport, templates: writers, sender })
      storage.onCommit(({ written }) => written.has('mails') && postman.wake())
      employed.push({ transport, postman })
      return postman
    },
    queue(mail) {
      const greeted = { realmId: null, recipient: 'new@example.com', letter: 'greeting', data: {} }
      return storage.transaction((tx) => queueMail(tx, { ...greeted, ...mail }))
    },
    async find(id) {
      const mail = await findMail(storage.db, id)
      if (mail === null) throw new Error(`No mail ${id}`)
      return mail
    },
    async [Symbol.asyncDispose]() {
      for (const { transport, postman } of employed) {
        transport.close()
        await postman.close()
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
  const log: Log = { isLevelEnabled: () => true, info: write, warn: write, error: write, child: () => log }
  return log
}
