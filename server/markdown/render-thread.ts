import { Worker } from 'node:worker_threads'
import type { Rendering } from './scope.ts'
import type { ScopeData } from './scope-data.ts'

export type ThreadJob = { id: number; text: string; scope: ScopeData }

export type ThreadAnswer =
  | { id: number; state: 'begun' }
  | { id: number; state: 'done'; rendering: Rendering }
  | { id: number; state: 'failed'; reason: string }

/** A text took too long to render, or could not be rendered. */
export class CannotRender extends Error {}

/** Milliseconds after which a thread without work gives its memory back. */
const IDLE_TIME = 60_000

/** MiB that the texts may make the thread fill. */
const MEMORY_LIMIT = 128

type Job = PromiseWithResolvers<Rendering> & { task: ThreadJob }

/**
 * A thread that renders one text after another, started when it is first needed. One that takes longer than `timeLimit`
 * milliseconds, or fills the memory, is refused with `CannotRender`, and another thread renders those that wait.
 */
export function openRenderThread(script: URL, timeLimit: number) {
  const jobs = new Map<number, Job>()
  let nextId = 1
  let thread: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined
  let limitTimer: NodeJS.Timeout | undefined

  function start(): Worker {
    const started = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT } })
    started.on('message', (answer: ThreadAnswer) => {
      if (thread !== started) return
      if (answer.state === 'begun') limitTimer = setTimeout(expire, timeLimit, answer.id)
      else finish(answer)
    })
    let cause: unknown
    started.on('error', (error) => (cause = error))
    // An error may be heard before messages that were sent earlier; the exit never is.
    started.on('exit', () => thread === started && giveUp(cause))
    return started
  }

  /** What the other thread said while this one was busy is heard first. */
  function expire(id: number): void {
    setImmediate(() => jobs.has(id) && giveUp(new Error(`It took more than ${timeLimit} ms`)))
  }

  function finish(answer: Exclude<ThreadAnswer, { state: 'begun' }>): void {
    clearTimeout(limitTimer)
    const job = jobs.get(answer.id)
    jobs.delete(answer.id)
    if (answer.state === 'done') job?.resolve(answer.rendering)
    else job?.reject(new CannotRender(answer.reason))
    if (jobs.size > 0) return
    thread?.unref()
    idleTimer = setTimeout(end, IDLE_TIME).unref()
  }

  /** Ends the thread with what it is at, which is the oldest job, and begins anew with the rest. */
  function giveUp(cause: unknown): void {
    const [job] = jobs.values()
    jobs.delete(job?.task.id ?? 0)
    end()
    job?.reject(new CannotRender('A text could not be rendered', { cause }))
    if (jobs.size > 0) thread = start()
    for (const { task } of jobs.values()) thread?.postMessage(task)
  }

  function end(): void {
    clearTimeout(limitTimer)
    void thread?.terminate()
    thread = null
  }

  return {
    render(text: string, scope: ScopeData): Promise<Rendering> {
      const job = { ...Promise.withResolvers<Rendering>(), task: { id: nextId++, text, scope } }
      jobs.set(job.task.id, job)
      clearTimeout(idleTimer)
      thread ??= start()
      thread.ref()
      thread.postMessage(job.task)
      return job.promise
    },
  }
}
