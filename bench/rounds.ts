import type { Child, Usage } from './child.ts'
import { type Load, saturate } from './drive.ts'
import { median, percentile } from './percentile.ts'

/** One side of a comparison: works for a number of seconds. */
export type Side = (seconds: number) => Promise<Sample>

/** The result of a round. */
export type Sample = { rate: number; cpuMicros: number }

/** Sends requests to a server; `prepare` runs before each round and is not measured. */
export function httpSide(server: Child, load: Load, prepare: () => Promise<unknown> = async () => {}): Side {
  return async (seconds) => {
    await prepare()
    const before = (await server.ask('usage')) as Usage
    const { requests, seconds: taken } = await saturate(load, seconds)
    const after = (await server.ask('usage')) as Usage
    return { rate: requests / taken, cpuMicros: (after.cpuMicros - before.cpuMicros) / requests }
  }
}

/** A median and the spread of the rounds: the range of their middle half, as a share of the median. */
type Figure = { median: number; spread: number }

/**
 * The result of a comparison: the medians of the rounds of both sides, and of the ratios of adjacent rounds. Other
 * activity of the machine affects both rounds of a pair alike, so the ratios vary less.
 */
export type Comparison = { own: Sample; base: Sample; ownToBase: { rate: Figure; cpuMicros: Figure } }

const ROUNDS = 21
const ROUND_SECONDS = 0.15

/** The longest factor by which rounds are extended on a busy machine. */
const MAX_EXTENSION = 10

/**
 * The CPU time in which the compiler optimizes all code that requests run through, so that a warmed-up server is
 * measured, and the longest time for it.
 */
const WARM_UP_CPU_SECONDS = 3
const MAX_WARM_UP_SECONDS = 30

/**
 * Alternates between the two sides, after both are warm. If other processes take most of the CPU time, rounds are
 * longer, so that a round always has enough requests.
 */
export async function compare(own: Side, base: Side): Promise<Comparison> {
  const share = Math.max(await warmUp(own), await warmUp(base))
  const seconds = ROUND_SECONDS * Math.min(1 / share, MAX_EXTENSION)
  const pairs: { own: Sample; base: Sample }[] = []
  for (let round = 0; round < ROUNDS; round += 1) pairs.push({ own: await own(seconds), base: await base(seconds) })
  const ratio = (name: keyof Sample) => figure(pairs.map((pair) => pair.own[name] / pair.base[name]))
  return {
    own: medians(pairs.map((pair) => pair.own)),
    base: medians(pairs.map((pair) => pair.base)),
    ownToBase: { rate: ratio('rate'), cpuMicros: ratio('cpuMicros') },
  }
}

/** Returns the share of a core that the side got. */
async function warmUp(side: Side): Promise<number> {
  let [used, seconds] = [0, 0]
  while (used < WARM_UP_CPU_SECONDS && seconds < MAX_WARM_UP_SECONDS) {
    const startedAt = performance.now()
    const { rate, cpuMicros } = await side(1)
    const taken = Math.min((performance.now() - startedAt) / 1000, 1)
    seconds += taken
    used += ((rate * cpuMicros) / 1e6) * taken
  }
  return used / seconds
}

const medians = (samples: readonly Sample[]): Sample => ({
  rate: median(samples.map((sample) => sample.rate)),
  cpuMicros: median(samples.map((sample) => sample.cpuMicros)),
})

export const figure = (values: readonly number[]): Figure => ({
  median: median(values),
  spread: (percentile(values, 0.75) - percentile(values, 0.25)) / median(values),
})
