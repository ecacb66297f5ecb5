import type { Metric, Registry } from 'prom-client'

// Histograms for what happens thousands of times a second. The caller keeps the series of its labels, so that an
// observation is a comparison with a few bounds: prom-client's own histograms find the series anew each time.

/** One series of a histogram. */
export class Series {
  readonly #bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] as number)) at += 1
    this.counts[at] = (this.counts[at] as number) + 1
    this.sum += value
  }
}

type Labels = Readonly<Record<string, string>>

type Value = { labels: Record<string, string | number>; value: number; metricName?: string }

export type Histogram = {
  /** Adds a series. It must be called once for each set of labels. */
  add(labels: Labels): Series
}

/** Adds a histogram of seconds, whose series are observed directly, to the registry. */
export function addHistogram(
  registry: Registry,
  { name, help, bounds }: { name: string; help: string; bounds: readonly number[] },
): Histogram {
  const all: { labels: Labels; series: Series }[] = []
  const get = async () => ({
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    values: all.flatMap(({ labels, series }) => valuesOf(name, bounds, labels, series)),
  })
  // The registry only reads the name and calls `get`.
  registry.registerMetric({ name, get } as unknown as Metric)
  return {
    add(labels) {
      const series = new Series(bounds)
      all.push({ labels, series })
      return series
    },
  }
}

function valuesOf(name: string, bounds: readonly number[], labels: Labels, { counts, sum }: Series): Value[] {
  let count = 0
  const buckets = Array.from(counts, (own, at) => {
    count += own
    return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[at] ?? '+Inf' }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: { ...labels }, value: sum },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ]
}

/** Adds a counter whose values are read when the metrics are. */
export function addCounter(
  registry: Registry,
  { name, help, read }: { name: string; help: string; read: () => Iterable<{ labels: Labels; value: number }> },
): void {
  const get = async () => ({ ...{ name, help, type: 'counter', aggregator: 'sum' }, values: [...read()] })
  registry.registerMetric({ name, get } as unknown as Metric)
}
