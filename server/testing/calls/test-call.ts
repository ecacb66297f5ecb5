import type { z } from 'zod'
import type { App } from '#app.ts'
import type { Settings } from '#config.ts'
import type { TestClock } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import type { Mailbox } from '#mail/delivery.ts'
import type { SharedPassword } from './test-world.ts'

export const badTestBody = refusal('BAD_REQUEST', 400, '{complaint}')

/** A planned fault (faults.ts); `remaining` is the number of calls that it will still hit. */
export type Fault = {
  fault_id: number
  fault: 'rate_limit' | 'slow' | 'drop' | 'expired_queue' | 'repeat_events' | 'bad_gateway'
  method?: string | undefined
  path?: string | undefined
  user_id?: number | undefined
  seconds: number
  remaining: number
}

/** The context of the calls of a test server; `firstSettings` are its initial settings. */
export type TestContext = {
  app: App
  clock: TestClock
  mailbox: Mailbox
  password: SharedPassword
  firstSettings: Readonly<Settings>
  /** The planned faults, oldest first. */
  faults: Fault[]
}

/** A call under /testing, which needs no credentials. */
export type TestCall = {
  /** Method and path; an id in the path is written `{id}`. */
  route: string
  answer(
    context: TestContext,
    request: { id: number; query: ReadonlyMap<string, string>; body: unknown },
  ): Promise<object>
}

/** Returns the parsed body; refuses an invalid one with the field and the reason. */
export function requireBody<Type extends z.ZodType>(type: Type, body: unknown): z.output<Type> {
  const parsed = type.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw badTestBody({ complaint: `${issue?.path.join('.') || 'The body'}: ${issue?.message}` })
}

/** Resolves when all due emails have been sent. */
export async function settleMail({ jobs }: App): Promise<void> {
  await jobs.missedMail.settled()
  await jobs.mail.settled()
}

/** Resolves when all due background work has been done. */
export async function settleJobs(app: App): Promise<void> {
  await app.jobs.scheduledMessages.settled()
  await app.jobs.statuses.settled()
  await app.jobs.hiddenPresences.settled()
  await app.jobs.webhooks.settled()
  await app.jobs.push.settled()
  await app.jobs.linkPreviews.settled()
  await settleMail(app)
}
