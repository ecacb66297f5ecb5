import { z } from 'zod'
import { requireBody, settleJobs, type TestCall, type TestContext } from './test-call.ts'

const clockBody = z.strictObject({
  freeze: z.boolean().optional(),
  advance: z.number().min(0).max(4e9).optional(),
  set: z.number().min(0).max(4e11).optional(),
})

const reading = ({ clock }: TestContext) => ({ now: clock.now(), frozen: clock.frozen })

export const clockCalls: TestCall[] = [
  { route: 'GET /testing/clock', answer: async (context) => reading(context) },
  {
    route: 'POST /testing/clock',
    async answer(context, { body }) {
      const { freeze, advance, set } = requireBody(clockBody, body)
      const { clock, app } = context
      // Jobs must set their timers before the time changes. Afterwards, they must finish the work that became due.
      await settleJobs(app)
      if (freeze !== undefined) clock.freeze(freeze)
      if (set !== undefined) await clock.set(set)
      if (advance !== undefined) await clock.advance(advance)
      await settleJobs(app)
      return reading(context)
    },
  },
]
