import type { WebStage } from './web-stage.ts'

/** One row of the table. */
export type WebRow = {
  readonly name: string
  readonly unit: 'ms' | 'shift' | 'KB'
  /** The base of the multiple: fib(35) in the page, or a load of an empty React page. */
  readonly multipleOf: 'fib' | 'emptyCold' | 'emptyWarm' | null
  /** For the small and the big organization, in the unit. */
  readonly goal: readonly [number, number]
  measure(stage: WebStage): Promise<number>
}

/** Returns the value below which the given share of the numbers is. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((one, other) => one - other)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('Nothing was measured')
  return value
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5)
