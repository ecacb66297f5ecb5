/** The line that opens a block fenced by backticks or tildes. */
export type Fence = {
  /** What the closing line consists of. */
  readonly marker: string
  readonly indent: number
  /** As typed; '' when there is none. `quote`, `spoiler` and `math` are kinds of their own. */
  readonly language: string
  /** The rest of the line, which only a spoiler shows. */
  readonly header: string
}

const LANGUAGE = /^\{?\.?([\w+./#-]+)\}?(?: +([^`~]*))?$/
/** A spoiler's header may hold code and other marks. */
const SPOILER = /^(spoiler)(?: +(.*))?$/

export function parseFence(line: string): Fence | null {
  const opening = /^( {0,3})(`{3,}|~{3,})/.exec(line)
  if (!opening) return null
  const [all, indent = '', marker = ''] = opening
  const rest = line.slice(all.length).trim()
  const named = SPOILER.exec(rest) ?? LANGUAGE.exec(rest)
  if (rest !== '' && !named) return null
  return { marker, indent: indent.length, language: named?.[1] ?? '', header: named?.[2]?.trim() ?? '' }
}

/** Whether the fence holds Markdown rather than code, so that fences inside it count. */
export function holdsMarkdown(fence: Fence): boolean {
  return fence.language === 'quote' || fence.language === 'spoiler'
}

/** The line that closes the fence, searching from `from`; `end` when none does, as an open fence reaches that far. */
export function findFenceEnd(fence: Fence, lineAt: (line: number) => string, from: number, end: number): number {
  const open = [fence]
  for (let line = from; line < end; line++) {
    const text = lineAt(line)
    const innermost = open.at(-1) as Fence
    if (text.trim() === innermost.marker) {
      open.pop()
      if (open.length === 0) return line
      continue
    }
    const inner = holdsMarkdown(innermost) ? parseFence(text) : null
    if (inner) open.push(inner)
  }
  return end
}
