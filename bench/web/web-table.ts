import type { WebRow } from './row.ts'
import type { WebStage } from './web-stage.ts'

export type Column = { name: string; bases: WebStage['bases']; values: readonly number[] }

/** Returns the results as a Markdown table, with each time also as a multiple of its base. */
export function writeWebTable(rows: readonly WebRow[], columns: readonly Column[]): string {
  const head = ['', ...columns.flatMap(({ name }) => [name, 'multiple']), 'goal']
  const lines = rows.map((row, at) => [
    row.name,
    ...columns.flatMap(({ bases, values }) => {
      const value = values[at]!
      return [shown(row, value), row.multipleOf === null ? '' : `× ${(value / bases[row.multipleOf]).toFixed(2)}`]
    }),
    row.goal[0] === row.goal[1] ? shown(row, row.goal[0]) : `${shown(row, row.goal[0])} / ${shown(row, row.goal[1])}`,
  ])
  const bases = columns.map(
    ({ name, bases: { fib, emptyCold, emptyWarm } }) =>
      `${name}: fib(35) ${fib.toFixed(0)} ms, empty React page ${emptyCold.toFixed(0)} ms cold, ${emptyWarm.toFixed(0)} ms warm`,
  )
  return `${[head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${bases.join('\n')}\n`
}

function shown({ unit }: WebRow, value: number): string {
  if (unit === 'shift') return value.toFixed(3)
  return `${value.toFixed(value < 20 ? 1 : 0)} ${unit}`
}
