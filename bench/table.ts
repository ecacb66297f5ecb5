import type { Measurement, Row } from './row.ts'

/** The maximum spread, as a share of the median; beyond it the rounds contradict each other. */
const MAX_SPREAD = 0.15

export type Outcome = { row: Row; measurement: Measurement }

/** Returns whether the rounds are consistent enough to be meaningful. */
const isClean = ({ spread }: Measurement) => spread <= MAX_SPREAD

function verdict({ row, measurement }: Outcome): string {
  if (!isClean(measurement)) return `unsteady: rounds ${percent(measurement.spread)} apart`
  return row.goal.isMet(measurement) ? 'met' : 'MISSED'
}

const HEADINGS = [
  'row',
  'rps',
  'CPU µs',
  'base rps',
  'base CPU µs',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  'ratio',
  'of',
  'goal',
]

/** Returns the table as text, with one line per row. */
export function writeTable(outcomes: readonly Outcome[], { isJudged }: { isJudged: boolean }): string {
  const lines = outcomes.map(({ row, measurement }) => [
    row.name,
    whole(measurement.rate),
    tenths(measurement.cpuMicros),
    whole(measurement.baseRate),
    tenths(measurement.baseCpuMicros),
    hundredths(measurement.latency?.median),
    hundredths(measurement.latency?.slowest99),
    whole(measurement.rssMb),
    hundredths(measurement.ratio),
    measurement.ratioOf,
    isJudged ? `${verdict({ row, measurement })} (${row.goal.text})` : row.goal.text,
  ])
  const widths = HEADINGS.map((heading, at) =>
    Math.max(...[HEADINGS, ...lines].map((line) => line[at]?.length ?? heading.length)),
  )
  const isText = (at: number) => at === 0 || at >= HEADINGS.length - 2
  return [HEADINGS, ...lines]
    .map((line) =>
      line
        .map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns an entry of bench/results.json; `note` is set only if a row could not be measured cleanly. */
export function toResultJson({ row, measurement }: Outcome) {
  const { rate, latency, cpuMicros, baseRate, ratio, rssMb } = measurement
  return {
    name: row.name,
    rps: rounded(rate),
    p50_ms: rounded(latency?.median),
    p99_ms: rounded(latency?.slowest99),
    cpu_us: rounded(cpuMicros),
    baseline_rps: rounded(baseRate),
    ratio: rounded(ratio),
    rss_mb: rounded(rssMb),
    ...(!isClean(measurement) && { note: verdict({ row, measurement }) }),
  }
}

const percent = (share: number) => `${Math.round(share * 100)} %`
const shown = (number: number | null | undefined, digits: number) => (number == null ? '' : number.toFixed(digits))
const whole = (number: number | null | undefined) => shown(number, 0)
const tenths = (number: number | null | undefined) => shown(number, 1)
const hundredths = (number: number | null | undefined) => shown(number, 2)
const rounded = (number: number | null | undefined) => (number == null ? null : Math.round(number * 1000) / 1000)
