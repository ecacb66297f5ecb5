/** The minimum times between two reports, in milliseconds: on a terminal, and in a log. */
const [WATCHED, LOGGED] = [100, 10_000]

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/**
 * Reports the progress of long jobs on standard error. On a terminal, it updates a single line; otherwise, it writes a
 * new line from time to time.
 */
export type Progress = Disposable & {
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
