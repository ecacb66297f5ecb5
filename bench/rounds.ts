import type { Child, Usage } from './child.ts'
import { type Load, saturate } from './drive.ts'

/** One side of a comparison: works for so many seconds. */
export type Side = (seconds: number) => Promise<Sample>

/** What a round came to. */
export type Sample = { rate: number; cpuMicros: number }

/** Requests to a server; `prepare` runs before each round, outside of the timing. */
export function httpSide(server: Child, load: Load, prepare: () => Promise<unknown> = async () => {}): Side {
  return async (seconds) => {
    await prepare()
    const before = (await server.ask('usage')) as Usage
    const { requests, seconds: taken } = await saturate(load, seconds)
    const after = (await server.ask('usage')) as Usage
    return { rate: requests / taken, cpuMicros: (after.cpuMicros - before.cpuMicros) / requests }
  }
}

/** The median of the rounds, and how far apart they lie: the middle half of them, as a share of the median. */
export type Summary = Sample & { spread: Sample }

export type Comparison = { own: Summary; base: Summary }

const ROUNDS = 5
const ROUND_SECONDS = 0.6
const WARM_UP_SECONDS = 1.5

/** Alternates between the two, after both are warm. */
export async function compare(own: Side, base: Side): Promise<Comparison> {
  await own(WARM_UP_SECONDS)
  await base(WARM_UP_SECONDS)
  const samples: { own: Sample[]; base: Sample[] } = { own: [], base: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.own.push(await own(ROUND_SECONDS))
    samples.base.push(await base(ROUND_SECONDS))
  }
  return { own: summary(samples.own), base: summary(samples.base) }
}

export function summary(samples: readonly Sample[]): Summary {
  const rates = samples.map((sample) => sample.rate)
  const cpus = samples.map((sample) => sample.cpuMicros)
  return {
    rate: median(rates),
    cpuMicros: median(cpus),
    spread: { rate: spread(rates), cpuMicros: spread(cpus) },
  }
}

/** The value that `share` of them do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]) => percentile(values, 0.5)

const spread = (values: readonly number[]) => (percentile(values, 0.75) - percentile(values, 0.25)) / median(values)
