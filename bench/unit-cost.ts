import { median, percentile } from './percentile.ts'

/**
 * Costs in total or of one unit of work: CPU time in microseconds, statements, and bytes of PostgreSQL's log and through
 * NATS. Figures that a setup does not have are omitted.
 */
export type Used = {
  readonly nodes: number
  readonly statements: number
  readonly postgres?: number
  readonly walBytes?: number
  readonly nats?: number
  readonly busBytes?: number
}

/** The cost of one unit of work in one setup. */
export type UnitCost = Used & {
  readonly setup: string
  readonly unit: string
  /** Units per second while the driver sends as many as the processes can answer; null if it does not. */
  readonly rate: number | null
  /** The range of the rounds for the CPU time of all processes, as a share of the median. */
  readonly spread: number
}

const FIELDS = ['nodes', 'postgres', 'nats', 'statements', 'walBytes', 'busBytes'] as const

/** Returns what one unit used between two times. */
export function usedPerUnit(before: Used, after: Used, units: number): Used {
  const shares = FIELDS.filter((field) => after[field] !== undefined).map((field) => [
    field,
    ((after[field] ?? 0) - (before[field] ?? 0)) / units,
  ])
  return Object.fromEntries(shares) as Used
}

/** Returns the CPU time of all processes, in microseconds. */
export const cpuOf = ({ nodes, postgres = 0, nats = 0 }: Used): number => nodes + postgres + nats

/** Returns the median of each figure of the rounds, and the spread of their CPU times. */
export function medianOf(rounds: readonly Used[]): Used & { spread: number } {
  const [first] = rounds
  const figures = FIELDS.filter((field) => first?.[field] !== undefined).map((field) => [
    field,
    median(rounds.map((round) => round[field] ?? 0)),
  ])
  const times = rounds.map(cpuOf)
  return {
    ...(Object.fromEntries(figures) as Used),
    spread: (percentile(times, 0.75) - percentile(times, 0.25)) / median(times),
  }
}

/** Returns the costs as a table, for each setup. */
export function writeCosts(costs: readonly UnitCost[]): string {
  const headings = [
    'setup',
    'unit',
    'nodes ms',
    'PostgreSQL ms',
    'NATS ms',
    'all ms',
    'statements',
    'WAL B',
    'bus B',
    '/s',
  ]
  const lines = costs.map((cost) => [
    cost.setup,
    cost.unit,
    ...[cost.nodes, cost.postgres, cost.nats, cpuOf(cost)].map((micros) => shown(micros && micros / 1000, 3)),
    shown(cost.statements, 2),
    ...[cost.walBytes, cost.busBytes, cost.rate].map((number) => shown(number, 0)),
  ])
  const widths = headings.map((_, at) => Math.max(...[headings, ...lines].map((line) => line[at]?.length ?? 0)))
  return [headings, ...lines]
    .map((line) =>
      line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    )
    .join('\n')
}

const shown = (number: number | null | undefined, digits: number) => (number == null ? '' : number.toFixed(digits))
