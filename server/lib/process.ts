import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import path from 'node:path'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Clock } from './clock.ts'

// Facts and settings of this process: where the project is, its version, the permissions of files that it creates,
// and when it returns unused memory to the system.

const packageFile = findPackageJSON('..', import.meta.url) as string

/** The folder that contains package.json. It is found from the sources and from bundled code. */
export const projectRoot = path.dirname(packageFile)

/** The version of this program, such as `0.1.0`. */
export const programVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version

/** Makes new files and folders of this process inaccessible to accounts outside its group. */
export function restrictFilePermissions(): void {
  const before = process.umask(0o077)
  process.umask(before | 0o007)
}

/** Seconds between two checks. */
const MEMORY_CHECK_INTERVAL = 10

/** The growth in bytes that makes returning memory worth its cost: 70 to 120 ms of CPU time on a small server. */
const MIN_GROWTH = 32 * 2 ** 20

/** The maximum share of the last interval for which the event loop was busy. A pause delays few requests then. */
const MAX_UTILIZATION = 0.2

type UnusedMemoryOptions = {
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
}: UnusedMemoryOptions): () => void {
  let leastMemory = memory()
  let cancel = () => {}

  function check(): void {
    const isQuiet = utilization() <= MAX_UTILIZATION
    leastMemory = Math.min(leastMemory, memory())
    if (isQuiet && memory() - leastMemory >= MIN_GROWTH) {
      collect()
      leastMemory = memory()
    }
    cancel = clock.schedule(clock.now() + MEMORY_CHECK_INTERVAL, check)
  }

  cancel = clock.schedule(clock.now() + MEMORY_CHECK_INTERVAL, check)
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
