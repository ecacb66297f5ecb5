import { Worker } from 'node:worker_threads'
import type { Rendering } from './scope.ts'
import type { ScopeData } from './scope-data.ts'

export type RenderRequest = { id: number; text: string; scope: ScopeData }

/** `cpu` is the CPU usage of the thread since its start. */
export type RenderResponse = { id: number; cpu: NodeJS.CpuUsage } & (
  | { state: 'begun' }
  | { state: 'done'; rendering: Rendering }
  | { state: 'failed'; reason: string }
)

/** A rendering, and the seconds of CPU time that it took. */
export type WorkerRendering = { rendering: Rendering; seconds: number }

/** A text took too long to render, or could not be rendered. */
export class CannotRender extends Error {
  /** The seconds of CPU time that were spent on the text. */
  readonly seconds: number

  constructor(message: string, seconds: number, options?: ErrorOptions) {
    super(message, options)
    this.seconds = seconds
  }
}

/**
 * The time limits for one text in milliseconds: CPU time and elapsed time. On a busy machine the thread is often not
 * running, which is not the fault of the text.
 */
export type RenderLimits = { cpu: number; elapsed: number }

/** Milliseconds after which an idle thread ends and releases its memory. */
const IDLE_TIME = 60_000

/** The memory limit of the thread in MiB. */
const MEMORY_LIMIT = 128

type Job = PromiseWithResolvers<WorkerRendering> & { task: RenderRequest }

const toSeconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000_000

/**
 * A thread that renders one text after another; it starts on demand. A text that exceeds the limits or fills the memory
 * is refused with `CannotRender`, and a new thread renders the waiting texts.
 */
export function openRenderThread(script: URL, limits: RenderLimits) {
  const jobs = new Map<number, Job>()
  let nextId = 1
  let thread: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let limitTimer: NodeJS.Timeout | undefined
  /** The CPU time of the thread, in seconds, when it started the current text. */
  let cpuBefore = 0

  function start(): Worker {
    const started = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT } })
    started.on('message', (answer: RenderResponse) => {
      if (thread !== started) return
      if (answer.state === 'begun') begin(answer)
      else finish(answer)
    })
    let cause: unknown
    started.on('error', (error) => (cause = error))
    // An error may arrive before messages that were sent earlier; the exit never does.
    started.on('exit', () => thread === started && giveUp(cause))
    return started
  }

  function begin({ id, cpu }: RenderResponse): void {
    cpuBefore = toSeconds(cpu)
    checkAfter(limits.cpu, id, 0)
  }

  function checkAfter(delay: number, id: number, elapsed: number): void {
    limitTimer = setTimeout(check, delay, id, elapsed + delay)
  }

  /** Messages that arrived while this thread was busy are handled first. */
  function check(id: number, elapsed: number): void {
    const checked = thread
    setImmediate(async () => {
      const isUnderWay = () => thread === checked && jobs.has(id)
      if (!isUnderWay()) return
      if (elapsed >= limits.elapsed) return giveUp(new Error(`It took more than ${limits.elapsed} ms`))
      checkAfter(Math.min(limits.cpu, limits.elapsed - elapsed), id, elapsed)
      const used = await usedBy(checked)
      if (isUnderWay() && used - cpuBefore >= limits.cpu / 1000)
        giveUp(new Error(`It took more than ${limits.cpu} ms of the processor`), used - cpuBefore)
    })
  }

  /** The CPU usage of a thread that has ended is unknown; its exit event is handled elsewhere. */
  async function usedBy(worker: Worker | null): Promise<number> {
    return worker === null ? 0 : worker.cpuUsage().then(toSeconds, () => 0)
  }

  function finish(answer: Exclude<RenderResponse, { state: 'begun' }>): void {
    clearTimeout(limitTimer)
    const job = jobs.get(answer.id)
    jobs.delete(answer.id)
    const seconds = toSeconds(answer.cpu) - cpuBefore
    if (answer.state === 'done') job?.resolve({ rendering: answer.rendering, seconds })
    else job?.reject(new CannotRender(answer.reason, seconds))
    if (jobs.size > 0) return
    thread?.unref()
    idleTimer = setTimeout(end, IDLE_TIME).unref()
  }

  /** Ends the thread together with the oldest job, and starts a new one for the rest. */
  function giveUp(cause: unknown, seconds = limits.cpu / 1000): void {
    const [job] = jobs.values()
    jobs.delete(job?.task.id ?? 0)
    end()
    job?.reject(new CannotRender('A text could not be rendered', seconds, { cause }))
    if (jobs.size > 0) thread = start()
    for (const { task } of jobs.values()) thread?.postMessage(task)
  }

  function end(): void {
    clearTimeout(limitTimer)
    void thread?.terminate()
    thread = null
  }

  return {
    render(text: string, scope: ScopeData): Promise<WorkerRendering> {
      const job = { ...Promise.withResolvers<WorkerRendering>(), task: { id: nextId++, text, scope } }
      jobs.set(job.task.id, job)
      clearTimeout(idleTimer)
      thread ??= start()
      thread.ref()
      thread.postMessage(job.task)
      return job.promise
    },
  }
}
