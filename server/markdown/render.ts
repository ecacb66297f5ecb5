import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { systemClock } from '#lib/clock.ts'
import { openFairQueue, type Requester } from '#lib/fair-queue.ts'
import { type Fence, mayNest, parseFence } from './blocks/fenced.ts'
import { textToTree } from './blocks/text-to-tree.ts'
import { childrenToHtml } from './blocks/tree-to-html.ts'
import { newContext } from './context.ts'
import { PLACEHOLDERS } from './inline/inline.ts'
import { joinMarkup } from './markup.ts'
import { MAX_LINKS } from './previews.ts'
import type { Rendering, RenderScope } from './scope.ts'
import { type ScopeData, toScopeData } from './scope-data.ts'

// Renders a message as the reference server does, in time that is linear in its length. Whatever the text is, the
// HTML contains only elements, attributes and addresses from fixed lists. Names come from the scope of the caller, so
// this module needs no database. `render` runs here; `renderInWorker`, for texts of users, has limits of CPU time and
// memory.

/** Incremented whenever the same text would be rendered differently, so that stored messages are rendered again. */
export const RENDERER_VERSION = 5

/**
 * Renders a message as clients display it. For any text, the HTML contains elements, attributes and addresses from
 * fixed lists only, and rendering takes linear time.
 */
export function renderMarkdown(text: string, scope: RenderScope): Rendering {
  const context = newContext(scope)
  const { children } = textToTree(normalize(text), scope.codeLanguage)
  const html = joinMarkup(childrenToHtml(children, context), ...context.latePreviews, ...context.linkPreviews).trim()
  if (context.linkedUrls.size > MAX_LINKS)
    return renderMarkdown(text, { ...scope, previewsMedia: false, linkPreviews: null })
  return {
    html,
    mentionedUserIds: [...context.userIds],
    mentionedGroupIds: [...context.groupIds],
    mentionsChannel: context.mentionsChannel,
    mentionsTopic: context.mentionsTopic,
    previewableUrls: context.previewableUrls,
  }
}

function normalize(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').replace(PLACEHOLDERS, '')
}

/**
 * Returns the lines that close all blocks which the text leaves open, each after a line break. They keep what follows
 * out of the blocks.
 */
export function closingFences(text: string): string {
  const open: Fence[] = []
  for (const line of text.replaceAll('\t', ' ').split('\n')) {
    const innermost = open.at(-1)
    const fence = mayNest(open.length, innermost) ? parseFence(line) : null
    if (innermost !== undefined && line.trimEnd() === innermost.marker) open.pop()
    else if (fence !== null) open.push(fence)
  }
  return open
    .toReversed()
    .map(({ marker }) => `\n${marker}`)
    .join('')
}

/** Returns whether the message describes the sender in the third person. The HTML keeps the `/me`. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ')
}

// The rendering thread. It renders messages with formulas and highlighted code. A message that takes too much CPU time
// or memory ends the thread and cannot be rendered; it blocks neither requests nor the messages of other users. Short
// messages without these parts are rendered at once.

export type RenderRequest = { id: number; text: string; scope: ScopeData }

/** A message from the rendering thread. `cpu` is the CPU usage of the thread since its start. */
export type RenderResponse = { id: number; cpu: NodeJS.CpuUsage } & (
  | { state: 'begun' }
  | { state: 'done'; rendering: Rendering }
  | { state: 'failed'; reason: string }
)

/** A rendering, and the seconds of CPU time that it took. */
type WorkerRendering = { rendering: Rendering; seconds: number }

/** A message took too long to render, or could not be rendered. */
export class CannotRender extends Error {
  /** The seconds of CPU time that were spent on the message. */
  readonly seconds: number

  constructor(message: string, seconds: number, options?: ErrorOptions) {
    super(message, options)
    this.seconds = seconds
  }
}

/**
 * The time limits for one message in milliseconds: CPU time and elapsed time. On a busy machine, the thread often has
 * to wait for a processor.
 */
type RenderLimits = { cpu: number; elapsed: number }

/** Milliseconds after which an idle thread ends and releases its memory. */
const IDLE_TIME = 60_000

/** The memory limit of the thread in MiB. */
const MEMORY_LIMIT = 128

type Job = PromiseWithResolvers<WorkerRendering> & { task: RenderRequest }

const toSeconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000_000

/**
 * A thread that renders one message after another. It starts on demand. A message that exceeds the limits or fills the
 * memory is refused with `CannotRender`, and a new thread renders the waiting messages.
 */
export class RenderThread {
  readonly #script: URL
  readonly #limits: RenderLimits
  readonly #jobs = new Map<number, Job>()
  #nextId = 1
  #thread: Worker | null = null
  #idleTimer: NodeJS.Timeout | undefined
  #limitTimer: NodeJS.Timeout | undefined
  /** The CPU time of the thread, in seconds, when it started the current message. */
  #cpuBefore = 0

  constructor(script: URL, limits: RenderLimits) {
    this.#script = script
    this.#limits = limits
  }

  render(text: string, scope: ScopeData): Promise<WorkerRendering> {
    const job = { ...Promise.withResolvers<WorkerRendering>(), task: { id: this.#nextId++, text, scope } }
    this.#jobs.set(job.task.id, job)
    clearTimeout(this.#idleTimer)
    this.#thread ??= this.#start()
    this.#thread.ref()
    this.#thread.postMessage(job.task)
    return job.promise
  }

  #start(): Worker {
    const started = new Worker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT } })
    started.on('message', (answer: RenderResponse) => {
      if (this.#thread !== started) return
      if (answer.state === 'begun') this.#begin(answer)
      else this.#finish(answer)
    })
    let cause: unknown
    started.on('error', (error) => (cause = error))
    // An error may arrive before messages that were sent earlier; the exit never does.
    started.on('exit', () => this.#thread === started && this.#giveUp(cause))
    return started
  }

  #begin({ id, cpu }: RenderResponse): void {
    this.#cpuBefore = toSeconds(cpu)
    this.#checkAfter(this.#limits.cpu, id, 0)
  }

  #checkAfter(delay: number, id: number, elapsed: number): void {
    this.#limitTimer = setTimeout(() => this.#check(id, elapsed + delay), delay)
  }

  /** Checks the limits, after handling messages that arrived while this thread was busy. */
  #check(id: number, elapsed: number): void {
    const checked = this.#thread
    const limits = this.#limits
    setImmediate(async () => {
      const isUnderWay = () => this.#thread === checked && this.#jobs.has(id)
      if (!isUnderWay()) return
      if (elapsed >= limits.elapsed) return this.#giveUp(new Error(`It took more than ${limits.elapsed} ms`))
      this.#checkAfter(Math.min(limits.cpu, limits.elapsed - elapsed), id, elapsed)
      const used = (await usedBy(checked)) - this.#cpuBefore
      if (isUnderWay() && used >= limits.cpu / 1000)
        this.#giveUp(new Error(`It took more than ${limits.cpu} ms of the processor`), used)
    })
  }

  #finish(answer: Exclude<RenderResponse, { state: 'begun' }>): void {
    clearTimeout(this.#limitTimer)
    const job = this.#jobs.get(answer.id)
    this.#jobs.delete(answer.id)
    const seconds = toSeconds(answer.cpu) - this.#cpuBefore
    if (answer.state === 'done') job?.resolve({ rendering: answer.rendering, seconds })
    else job?.reject(new CannotRender(answer.reason, seconds))
    if (this.#jobs.size > 0) return
    this.#thread?.unref()
    this.#idleTimer = setTimeout(() => this.#end(), IDLE_TIME).unref()
  }

  /** Ends the thread and rejects the oldest job. Starts a new thread for the other jobs. */
  #giveUp(cause: unknown, seconds = this.#limits.cpu / 1000): void {
    const [job] = this.#jobs.values()
    this.#jobs.delete(job?.task.id ?? 0)
    this.#end()
    job?.reject(new CannotRender('A message could not be rendered', seconds, { cause }))
    if (this.#jobs.size > 0) this.#thread = this.#start()
    for (const { task } of this.#jobs.values()) this.#thread?.postMessage(task)
  }

  #end(): void {
    clearTimeout(this.#limitTimer)
    void this.#thread?.terminate()
    this.#thread = null
  }
}

/** Returns the CPU time of a thread, in seconds. Returns 0 if the thread has exited; another listener handles that. */
async function usedBy(worker: Worker | null): Promise<number> {
  return worker === null ? 0 : worker.cpuUsage().then(toSeconds, () => 0)
}

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

/** The work that the rendering thread of this process has done. `seconds` is CPU time. */
const work = { waiting: 0, rendered: 0, failed: 0, seconds: 0 }

/** Returns what the rendering thread of this process has done, and how many messages wait for it. */
export const renderingWork = (): Readonly<typeof work> => work

/**
 * Like `renderMarkdown`, but with formulas and highlighted code, and without blocking this thread. Long messages and
 * messages that need large libraries are rendered in a worker thread when it is the requester's turn. Throws
 * `CannotRender` for a message that takes more than two seconds of CPU time. Throws `rateLimitHit` if too many messages
 * are waiting or the requester's budget is used up.
 */
export async function renderInWorker(text: string, scope: RenderScope, requester: Requester): Promise<Rendering> {
  if (text.length <= MAX_UNQUEUED_LENGTH && !NEEDS_WRITERS.test(text)) return renderMarkdown(text, scope)
  work.waiting += 1
  const end = (seconds: number, charge: (seconds: number) => void) => {
    work.seconds += seconds
    charge(seconds)
  }
  try {
    return await queue.run(requester, async (charge) => {
      try {
        const { rendering, seconds } = await thread.render(text, toScopeData(scope, text))
        end(seconds, charge)
        work.rendered += 1
        return rendering
      } catch (error) {
        if (error instanceof CannotRender) end(error.seconds, charge)
        work.failed += 1
        throw error
      }
    })
  } finally {
    work.waiting -= 1
  }
}
