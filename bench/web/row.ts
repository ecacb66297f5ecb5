import type { WebStage } from './web-stage.ts'

export type WebRow = {
  readonly name: string
  readonly unit: 'ms' | 'shift' | 'KB'
  /** The base of the multiple: fib(35) in the page, or a load of an empty React page. */
  readonly multipleOf: 'fib' | 'emptyCold' | 'emptyWarm' | null
  /** The goals for the small and the big organization, in the unit. */
  readonly goal: readonly [number, number]
  measure(stage: WebStage): Promise<number>
}
