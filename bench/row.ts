import type { Disk } from './disk.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { UnitCost } from './unit-cost.ts'

export type Row = {
  readonly name: string
  readonly goal: Goal
  /** The reason why the row cannot be measured here; false if it can. */
  readonly skip?: string | false
  measure(tools: BenchContext): Promise<Measurement>
}

export type BenchContext = {
  random: SeededRandom
  disk: Disk
}

/** The goal of a row, and a check whether a measurement meets it. */
export type Goal = { readonly text: string; isMet(measurement: Measurement): boolean }

export type Measurement = {
  /** Responses per second at full load, and the server's CPU time for one, in microseconds; null if there are none. */
  rate: number | null
  cpuMicros: number | null
  /** The same figures for the baseline. */
  baseRate: number | null
  baseCpuMicros: number | null
  /** The ratio in the goal; null if the goal only has a time. */
  ratio: number | null
  /** The name of the figure that `ratio` compares. */
  ratioOf: string
  /** The latencies in milliseconds. */
  latency: { median: number; slowest99: number } | null
  rssMb: number
  /** The costs of each unit of work, if the row measures several. */
  costs?: readonly UnitCost[]
  /** The spread of the rounds for the figure of `ratioOf`, as a share of it. */
  spread: number
}

export const atLeast = (least: number, text: string): Goal => ({
  text,
  isMet: ({ ratio }) => ratio !== null && ratio >= least,
})

export const atMost = (most: number, text: string): Goal => ({
  text,
  isMet: ({ ratio }) => ratio !== null && ratio <= most,
})
