/**
 * Code within text. `start` is the position of its opening backticks; `end` is the position after its closing
 * backticks.
 */
export type CodeSpan = { readonly start: number; readonly end: number; readonly source: string }

type TextWithCode = { readonly text: string; readonly spans: readonly CodeSpan[] }

/**
 * Returns the code spans of a text in order. A run of backticks opens a span if a later run is as long; that run closes
 * the span. Otherwise, the longest part of the run that is as long as a later run opens the span. An odd number of
 * backslashes before a run escapes its first backtick. An even number of backslashes is halved.
 */
export function findCode(typed: string): TextWithCode {
  if (!typed.includes('`')) return { text: typed, spans: [] }
  return withoutEscapes(typed, spansOf(typed))
}

function spansOf(text: string): CodeSpan[] {
  const runs = Array.from(text.matchAll(/`+/g), ({ 0: { length }, index }) => ({ start: index, length }))
  const startsByLength = Map.groupBy(runs, ({ length }) => length)
  const passed = new Map<number, number>()

  /** Returns the start of the next run of this length. Each run is visited only once, because `from` only grows. */
  function nextOf(length: number, from: number): number | null {
    const starts = startsByLength.get(length) ?? []
    let at = passed.get(length) ?? 0
    while (at < starts.length && (starts[at]?.start ?? 0) < from) at++
    passed.set(length, at)
    return starts[at]?.start ?? null
  }

  const spans: CodeSpan[] = []
  let done = 0
  for (const run of runs) {
    if (run.start < done) continue
    const skipped = backslashesBefore(text, run.start) % 2
    for (let length = run.length - skipped; length > 0; length--) {
      const closing = nextOf(length, run.start + run.length)
      if (closing === null) continue
      const start = run.start + skipped
      done = closing + length
      spans.push({ start, end: done, source: text.slice(start + length, closing) })
      break
    }
  }
  return spans
}

function backslashesBefore(text: string, at: number): number {
  let count = 0
  while (text[at - 1 - count] === '\\') count++
  return count
}

/**
 * Halves even numbers of backslashes before backticks. Returns the new text and the new positions of its code spans.
 */
function withoutEscapes(typed: string, spans: readonly CodeSpan[]): TextWithCode {
  let text = ''
  let done = 0
  const moved = [...spans, null].map((span) => {
    const between = typed.slice(done, span?.start)
    text += halved(span === null ? between : `${between}\``).slice(0, span === null ? undefined : -1)
    if (span === null) return []
    const start = text.length
    text += typed.slice(span.start, span.end)
    done = span.end
    return [{ ...span, start, end: text.length }]
  })
  return { text, spans: moved.flat() }
}

const halved = (text: string) =>
  text.replace(/\\+(?=`)/g, (backslashes) =>
    backslashes.length % 2 === 0 ? backslashes.slice(backslashes.length / 2) : backslashes,
  )
