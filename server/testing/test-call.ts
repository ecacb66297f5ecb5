import type { z } from 'zod'
import type { App } from '../app.ts'
import type { Settings } from '../config.ts'
import type { Mailbox } from '../delivery/mail/mailbox.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { TestClock } from '../platform/runtime/clock.ts'
import type { SharedPassword } from './test-world.ts'

export const badTestBody = refusal('BAD_REQUEST', 400, '{complaint}')

/** What the calls of a test server work on; `firstSettings` are those that it started with. */
export type TestContext = {
  app: App
  clock: TestClock
  mailbox: Mailbox
  password: SharedPassword
  firstSettings: Readonly<Settings>
}

/** One of the calls under /testing: credentials are not asked for. */
export type TestCall = {
  /** Method and path; an id in the path is written `{id}`. */
  route: string
  answer(
    bench: TestContext,
    request: { id: number; query: ReadonlyMap<string, string>; body: unknown },
  ): Promise<object>
}

/** The body as the call wants it; refused, with the field and what is wrong with it, when it is not so. */
export function requireBody<Type extends z.ZodType>(type: Type, body: unknown): z.output<Type> {
  const parsed = type.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw badTestBody({ complaint: `${issue?.path.join('.') || 'The body'}: ${issue?.message}` })
}
