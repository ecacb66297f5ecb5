import { type Errands, openErrands } from '../base/errands.ts'
import { openRounds, type RoundsOptions } from '../base/rounds.ts'
import { deliver, type MailRoom } from './deliver.ts'
import { findDueMails, findNextDueAt } from './queries.ts'

/** Sends what is in the outbox when it is due. No transaction is open while a mail is under way. */
export type Postman = {
  /** Looks into the outbox soon. To be called after each commit that wrote `mails`, in this process or outside. */
  wake(): void
  /** Resolves when nothing that is due now is left unsent, and the clock will wake the postman for what comes next. */
  settled(): Promise<void>
  /** Sends nothing more. What is under way has five seconds to end, and is deferred then. */
  close(): Promise<void>
}

export type PostmanOptions = MailRoom & Pick<RoundsOptions, 'isOurs'>

/** How many mails are under way at most, where the transport does not say. */
const CONCURRENCY = 4

const CLOSING_TIME = 5

/** Opens at once; mails that an earlier process left behind are sent too. */
export function openPostman(options: PostmanOptions): Postman {
  const { db, clock, log, transport, isOurs } = options
  const { concurrency = CONCURRENCY } = transport
  const { round, rest, stop, isStopped } = openRounds({
    clock,
    work: takeDueMails,
    onFailure: (error) => log.error({ err: error }, 'The outbox cannot be read or written'),
    isOurs,
    onDue: () => errands.settled(),
  })
  /** Mails, by their ids. */
  const errands: Errands<number> = openErrands(round)

  async function takeDueMails(): Promise<number | null> {
    // Each mail that ends begins a round.
    if (errands.size >= concurrency) return null
    const now = clock.now()
    const due = await findDueMails(db, now, concurrency)
    if (isStopped()) return null
    const takes = due.filter((mail) => !errands.has(mail.id)).slice(0, concurrency - errands.size)
    for (const mail of takes) errands.add(mail.id, deliver(options, mail).catch(rest))
    const nextDueAt = await findNextDueAt(db)
    return nextDueAt !== null && nextDueAt > now ? nextDueAt : null
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
