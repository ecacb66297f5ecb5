/** Milliseconds between two pictures of how far something is: for somebody who watches, and for a log. */
const [WATCHED, LOGGED] = [100, 10_000]

type Stream = NodeJS.WritableStream & { isTTY?: boolean }

/** Says on standard error how far something long is: on one line that changes, or now and then on one of its own. */
export type Progress = Disposable & {
  /** `all` is left out where nobody knows how many there will be. */
  report(what: string, done: number, all?: number): void
}

export function openProgress(stream: Stream = process.stderr): Progress {
  const interval = stream.isTTY ? WATCHED : LOGGED
  let toldAt = stream.isTTY ? -Infinity : performance.now()
  let width = 0

  function show(line: string): void {
    if (!stream.isTTY) return void stream.write(`${line}\n`)
    stream.write(`\r${line.padEnd(width)}`)
    width = Math.max(width, line.length)
  }

  return {
    report(what, done, all) {
      if (performance.now() - toldAt < interval) return
      toldAt = performance.now()
      const share = all ? `${Math.floor((done / all) * 100)} %, ` : ''
      const extent = all === undefined ? '' : ` of ${formatCount(all)}`
      show(`${what}: ${share}${formatCount(done)}${extent}`)
    },
    [Symbol.dispose]() {
      if (width > 0) stream.write(`\r${' '.repeat(width)}\r`)
    },
  }
}

/** A number with its thousands apart. */
export const formatCount = (number: number): string => number.toLocaleString('en-US')
