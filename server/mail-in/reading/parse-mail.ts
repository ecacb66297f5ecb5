import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { MailTask, ReadMail } from './read-mail.ts'

/** The email cannot be read: it is malformed, or reading it takes too much time or memory. */
export class UnreadableMail extends Error {}

const SCRIPT = new URL(`mail-worker${extname(import.meta.url)}`, import.meta.url)

/** The memory limit of the thread in MiB. The bytes of the email itself do not count. */
const MEMORY_LIMIT = 192

/** The limits for one email in milliseconds: CPU time and elapsed time, since on a busy machine a thread has to wait. */
const LIMITS = { cpu: 5000, elapsed: 60_000 }

/** Milliseconds between two checks of the limits. */
const CHECK_EVERY = 500

/** Reads an email in a thread of its own. Throws `UnreadableMail` if that takes more time or memory than is allowed. */
export async function parseMail(task: MailTask, limits = LIMITS): Promise<ReadMail> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadMail>()
  const thread = new Worker(SCRIPT, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT } })
  thread.once('message', resolve)
  thread.once('error', (cause) => reject(new UnreadableMail('The email cannot be read', { cause })))
  thread.once('exit', () => reject(new UnreadableMail('The email cannot be read')))
  let elapsed = 0
  const timer = setInterval(async () => {
    elapsed += CHECK_EVERY
    const used = await thread.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0,
    )
    if (used >= limits.cpu || elapsed >= limits.elapsed) reject(new UnreadableMail('Reading the email takes too long'))
  }, CHECK_EVERY)
  try {
    return await promise
  } finally {
    clearInterval(timer)
    void thread.terminate()
  }
}
