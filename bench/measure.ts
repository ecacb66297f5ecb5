import type { Child, Usage } from './child.ts'
import { type Load, offer } from './drive.ts'
import { percentile } from './percentile.ts'
import type { Comparison } from './rounds.ts'
import type { BenchContext, Measurement } from './row.ts'

/** The load while latencies are measured, as a share of the maximum rate. */
const OFFERED_SHARE = 0.5

const OFFERED_SECONDS = 1

/** Measures latencies while the server is half busy. */
export async function measureLatency(
  load: Load,
  rate: number,
  { random }: BenchContext,
): Promise<Measurement['latency']> {
  const latencies = await offer(load, rate * OFFERED_SHARE, OFFERED_SECONDS, random)
  return { median: percentile(latencies, 0.5), slowest99: percentile(latencies, 0.99) }
}

/**
 * Compares a server with its baseline by CPU time per request: on a separate core that limits the rate, and it does not
 * depend on other activity of the machine.
 */
export function byCpuTime({ ownToBase }: Comparison): Pick<Measurement, 'ratio' | 'ratioOf' | 'spread'> {
  const { median, spread } = ownToBase.cpuMicros
  return { ratio: 1 / median, ratioOf: 'CPU time', spread }
}

/** Compares a server with its baseline by rate, if both wait for the disk. */
export function byRate({ ownToBase }: Comparison): Pick<Measurement, 'ratio' | 'ratioOf' | 'spread'> {
  const { median, spread } = ownToBase.rate
  return { ratio: median, ratioOf: 'rate', spread }
}

/** Returns the figures that every comparison has. */
export async function figures(
  server: Child,
  { own, base }: Comparison,
): Promise<Pick<Measurement, 'rate' | 'cpuMicros' | 'baseRate' | 'baseCpuMicros' | 'rssMb'>> {
  const { rssMb } = (await server.ask('usage')) as Usage
  return { rate: own.rate, cpuMicros: own.cpuMicros, baseRate: base.rate, baseCpuMicros: base.cpuMicros, rssMb }
}
