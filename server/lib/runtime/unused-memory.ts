import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Clock } from './clock.ts'

/** Seconds between two checks. */
const INTERVAL = 10

/** The growth in bytes that makes returning memory worth its cost: 70 to 120 ms of CPU time on a small server. */
const MIN_GROWTH = 32 * 2 ** 20

/** The maximum share of the last interval for which the event loop was busy. A pause delays few requests then. */
const MAX_UTILIZATION = 0.2

type Options = {
  clock: Clock
  /** Collects all garbage and returns the free pages to the system. */
  collect: () => void
  /** Returns the memory of the process in bytes. */
  memory?: () => number
  /** Returns the share of the time since the last call for which the event loop was busy. */
  utilization?: () => number
}

/**
 * Returns memory to the system whenever the server is quiet after a load. V8 keeps the pages that it has once used for
 * garbage, so that a server whose data fits into 30 MB could hold 400 MB forever. Returns a function that stops this.
 */
export function returnUnusedMemory({
  clock,
  collect,
  memory = process.memoryUsage.rss,
  utilization = utilizationMeter(),
}: Options): () => void {
  let leastMemory = memory()
  let cancel = () => {}

  function check(): void {
    const isQuiet = utilization() <= MAX_UTILIZATION
    leastMemory = Math.min(leastMemory, memory())
    if (isQuiet && memory() - leastMemory >= MIN_GROWTH) {
      collect()
      leastMemory = memory()
    }
    cancel = clock.schedule(clock.now() + INTERVAL, check)
  }

  cancel = clock.schedule(clock.now() + INTERVAL, check)
  return () => cancel()
}

function utilizationMeter(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

/** Returns a `collect` for `returnUnusedMemory`; null without the flag --expose-gc. */
export function findCollector(): (() => void) | null {
  const { gc } = globalThis
  // Other collections keep the free pages.
  return gc === undefined ? null : () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
