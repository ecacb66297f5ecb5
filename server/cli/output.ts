import { type Command, Option } from 'commander'

export const jsonOption = () => new Option('--json', 'print JSON').default(false)

export const orgOption = () =>
  new Option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted').default('')

/** Adds a command for an organization, whose help ends with an example. */
export function addExplained(commands: Command, command: string, description: string, example: string): Command {
  return commands
    .command(command)
    .description(description)
    .addOption(orgOption())
    .addOption(jsonOption())
    .addHelpText('after', `\nExample:\n  ${example}`)
}

/** Collects the values of an option that can be given several times. */
export const collect = (value: string, earlier: readonly string[]): string[] => [...earlier, value]

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

/** Prints the pieces as fast as the reader of the output takes them, and stops if it goes away. */
export async function printPieces(pieces: AsyncIterable<string>): Promise<void> {
  const { stdout } = process
  for await (const piece of pieces) {
    if (stdout.destroyed) return
    if (stdout.write(piece)) continue
    const { promise, resolve } = Promise.withResolvers<void>()
    stdout.once('drain', resolve).once('close', resolve)
    await promise
    stdout.off('drain', resolve).off('close', resolve)
  }
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

/** The minimum times between two reports, in milliseconds: on a terminal, and in a log. */
const [WATCHED, LOGGED] = [100, 10_000]

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/**
 * Reports the progress of long jobs on standard error. On a terminal, it updates a single line; otherwise, it writes a
 * new line from time to time.
 */
type Progress = Disposable & {
  /** `all` is omitted if the total is unknown. */
  report(what: string, done: number, all?: number): void
}

export function openProgress(stream: Stream = process.stderr): Progress {
  const interval = stream.isTTY ? WATCHED : LOGGED
  let reportedAt = stream.isTTY ? -Infinity : performance.now()
  let width = 0

  function show(line: string): void {
    if (!stream.isTTY) return void stream.write(`${line}\n`)
    stream.write(`\r${line.padEnd(width)}`)
    width = Math.max(width, line.length)
  }

  return {
    report(what, done, all) {
      if (performance.now() - reportedAt < interval) return
      reportedAt = performance.now()
      const share = all ? `${Math.floor((done / all) * 100)} %, ` : ''
      const extent = all === undefined ? '' : ` of ${formatCount(all)}`
      show(`${what}: ${share}${formatCount(done)}${extent}`)
    },
    [Symbol.dispose]() {
      if (width > 0) stream.write(`\r${' '.repeat(width)}\r`)
    },
  }
}

/** Formats a number with thousands separators. */
export const formatCount = (number: number): string => number.toLocaleString('en-US')
