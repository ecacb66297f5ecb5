import { extname } from 'node:path'
import { openFairQueue, type Requester } from '#lib/jobs/fair-queue.ts'
import { systemClock } from '#lib/runtime/clock.ts'
import { renderMarkdown } from './render.ts'
import { CannotRender, RenderThread } from './render-thread.ts'
import type { Rendering, RenderScope } from './scope.ts'
import { toScopeData } from './scope-data.ts'

/** Messages of up to this many UTF-16 units are rendered at once, because sending them to the worker takes longer. */
const MAX_UNQUEUED_LENGTH = 2048

/**
 * The time limits for one message, in milliseconds. Even the longest message takes a tenth of this CPU time, unless it
 * is an attack. The limit on the elapsed time ends a thread that hangs without working.
 */
const LIMITS = { cpu: 2000, elapsed: 60_000 }

/** The beginning of a formula or a code block. Only the worker loads the renderers for these. */
const NEEDS_WRITERS = /\$\$|```|~~~/

const thread = new RenderThread(new URL(`render-worker${extname(import.meta.url)}`, import.meta.url), LIMITS)

/** Runs one rendering at a time. A formula or a block of code takes a few milliseconds of CPU time. */
const queue = openFairQueue({
  clock: systemClock(),
  concurrency: 1,
  maxWaitingEach: 50,
  maxWaiting: 1000,
  retryAfter: 1,
  budget: { seconds: 10, per: 60 },
})

/**
 * Like `renderMarkdown`, but with formulas and highlighted code, and without blocking this thread. Long messages and
 * messages that need large libraries are rendered in a worker thread when it is the requester's turn. Throws
 * `CannotRender` for a message that takes more than two seconds of CPU time. Throws `rateLimitHit` if too many messages
 * are waiting or the requester's budget is used up.
 */
export async function renderInWorker(text: string, scope: RenderScope, requester: Requester): Promise<Rendering> {
  if (text.length <= MAX_UNQUEUED_LENGTH && !NEEDS_WRITERS.test(text)) return renderMarkdown(text, scope)
  return queue.run(requester, async (charge) => {
    try {
      const { rendering, seconds } = await thread.render(text, toScopeData(scope, text))
      charge(seconds)
      return rendering
    } catch (error) {
      if (error instanceof CannotRender) charge(error.seconds)
      throw error
    }
  })
}
