import type { Disk } from './disk.ts'
import type { SeededRandom } from './seeded-random.ts'

/** One row of the table. */
export type Row = {
  readonly name: string
  readonly goal: Goal
  measure(tools: BenchContext): Promise<Measurement>
}

/** What rows work with. */
export type BenchContext = {
  random: SeededRandom
  disk: Disk
}

/** What the goal says, and whether a measurement meets it. */
export type Goal = { readonly text: string; isMet(measurement: Measurement): boolean }

export type Measurement = {
  /** Answers a second at full load, and the server's CPU time for one, in microseconds; null where there are none. */
  rate: number | null
  cpuMicros: number | null
  /** The same of what it is compared with. */
  baseRate: number | null
  baseCpuMicros: number | null
  /** What the goal speaks of; null where it speaks of a time alone. */
  ratio: number | null
  /** Of what the ratio was taken. */
  ratioOf: string
  /** Milliseconds. */
  latency: { median: number; slowest99: number } | null
  rssMb: number
  /** How far apart the rounds of what the ratio was taken of lie, as a share of it. */
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
