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
