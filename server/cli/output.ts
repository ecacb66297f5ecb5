type Cell = string | number | boolean | null

/** Formats rows as a table with a heading. Each column is as wide as its longest cell. */
export function toTable(rows: readonly Record<string, Cell>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Prints the result of a command as one line of JSON, or as a table or lines for people. */
export function print(result: readonly Record<string, Cell>[] | Record<string, Cell>, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(result) : forPeople(result)}\n`)
}

function forPeople(result: readonly Record<string, Cell>[] | Record<string, Cell>): string {
  if (Array.isArray(result)) return result.length === 0 ? 'None.' : toTable(result)
  const entries = Object.entries(result)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
}

/** Returns the time in ISO 8601 in UTC. */
export function toIsoTime(time: number): string {
  return new Date(Math.floor(time) * 1000).toISOString().replace('.000Z', 'Z')
}
