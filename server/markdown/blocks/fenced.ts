import type { Fenced } from './tree.ts'

/** The line that opens a block fenced by backticks or tildes. */
export type Fence = {
  /** The content of the closing line. */
  readonly marker: string
  /** The language as typed; '' if there is none. */
  readonly language: string
  /** The rest of the line. Only spoilers display it. */
  readonly header: string
}

const FENCE = /^(~{3,}|`{3,}) *(?:\{?\.?([\w+,./#-]+) *([^ ~`][^~`]*)?\}?)?$/

export function parseFence(line: string): Fence | null {
  const match = FENCE.exec(line)
  if (match === null) return null
  const [, marker = '', language = '', header = ''] = match
  return { marker, language, header }
}

/**
 * Lines without fences. Quotes have become lines with `>`, and other fenced blocks have become placeholders. `fenced`
 * has the block for each placeholder.
 */
type UnfencedText = { readonly lines: readonly string[]; readonly fenced: ReadonlyMap<string, Fenced> }

/** The maximum nesting of quotes and spoilers; deeper fences are text. */
const MAX_NESTING = 20

type Open = { readonly fence: Fence; readonly lines: string[] }

/**
 * Extracts fenced blocks from text. An unclosed block extends to the end of the text. `codeLanguage` applies to code
 * without a language.
 */
export function unfence(lines: readonly string[], codeLanguage: string): UnfencedText {
  const fenced = new Map<string, Fenced>()
  const outside: string[] = []
  const open: Open[] = []
  for (const line of lines) {
    const innermost = open.at(-1)
    const isMarkdown = innermost === undefined || holdsMarkdown(innermost.fence)
    const fence = mayNest(open.length, innermost?.fence) ? parseFence(line) : null
    if (innermost !== undefined && line.trimEnd() === innermost.fence.marker) close()
    else if (fence !== null) open.push({ fence, lines: [] })
    else (innermost?.lines ?? outside).push(isMarkdown ? line : line.trimEnd())
  }
  while (open.length > 0) close()
  // Ensures that the final line break belongs to no block.
  if (outside.length > 2 && outside.at(-2) !== '') outside.push('')
  return { lines: outside, fenced }

  function close(): void {
    const closed = open.pop()
    if (closed === undefined || closed.lines.length === 0) return
    const lines = open.at(-1)?.lines ?? outside
    for (const line of ['', ...written(closed), '']) lines.push(line)
  }

  function written({ fence, lines }: Open): string[] {
    const language = fence.language.toLowerCase()
    if (isQuote(language)) return lines.map((line) => `> ${line}`)
    if (language !== 'spoiler') return [placeholder(toFenced(language, lines.join('\n')))]
    const header = fence.header === '' ? [] : [fence.header, '']
    const [opening, middle, end] = (['spoiler header', 'spoiler content', 'spoiler end'] as const).map((kind) =>
      placeholder({ kind }),
    )
    return [opening ?? '', '', ...header, middle ?? '', '', ...lines, '', end ?? '']
  }

  function toFenced(language: string, source: string): Fenced {
    return language === 'math'
      ? { kind: 'formulas', source }
      : { kind: 'listing', language: language === '' ? codeLanguage : language, source }
  }

  /** Stores the block and returns its placeholder: a line that no message can contain. */
  function placeholder(block: Fenced): string {
    const line = `\u0002fenced ${fenced.size}\u0003`
    fenced.set(line, block)
    return line
  }
}

/** Returns whether another block may begin inside the innermost of so many open blocks. */
export const mayNest = (depth: number, innermost: Fence | undefined): boolean =>
  depth < MAX_NESTING && (innermost === undefined || holdsMarkdown(innermost))

const isQuote = (language: string) => language === 'quote' || language === 'quoted'

/** Returns whether fences inside the block are parsed. */
function holdsMarkdown({ language }: Fence): boolean {
  return isQuote(language.toLowerCase()) || language.toLowerCase() === 'spoiler'
}
