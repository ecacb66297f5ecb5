import { extname } from 'node:path'
import { openFairQueue, type Requester } from '../jobs/fair-queue.ts'
import { systemClock } from '../runtime/clock.ts'
import { renderMarkdown } from './render.ts'
import { CannotRender, openRenderThread } from './render-thread.ts'
import type { Rendering, RenderScope } from './scope.ts'
import { toScopeData } from './scope-data.ts'

/** UTF-16 units up to which a text is rendered at once, in less time than it takes to hand it over. */
const SHORT = 2048

/**
 * A text of the greatest length takes a tenth of this time of the processor, if it is no attack. The second limit ends a
 * thread that hangs without working.
 */
const LIMITS = { cpu: 2000, elapsed: 60_000 }

/** What formulas and code begin with: what writes them is loaded in the other thread alone. */
const NEEDS_WRITERS = /\$\$|```|~~~/

const thread = openRenderThread(new URL(`render-worker${extname(import.meta.url)}`, import.meta.url), LIMITS)

/** A formula or a block of code takes some milliseconds of the processor. */
const queue = openFairQueue({
  clock: systemClock(),
  concurrency: 1,
  maxWaitingEach: 50,
  maxWaiting: 1000,
  retryAfter: 1,
  budget: { seconds: 10, per: 60 },
})

/**
 * As `renderMarkdown`, but with formulas and coloured code, and without holding up this thread: what is long or needs
 * large libraries is rendered in another one, in the turn of the person. Throws `CannotRender` for what takes more than
 * two seconds of the processor, and `rateLimitHit` when the person has too much rendered.
 */
export async function renderInWorker(text: string, scope: RenderScope, turn: Requester): Promise<Rendering> {
  if (text.length <= SHORT && !NEEDS_WRITERS.test(text)) return renderMarkdown(text, scope)
  return queue.run(turn, async (charge) => {
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
