import type { ResponseHeaders } from './http-types.ts'

/**
 * The headers of every response that does not set them itself. `lines` alternates names and values; `text` is the same
 * as header lines.
 */
export type CommonHeaders = { readonly lines: readonly string[]; readonly text: string }

export function commonHeaders(headers: Readonly<Record<string, string>>): CommonHeaders {
  const lines = Object.entries(headers).flat()
  return { lines, text: formatHeaderLines(lines) }
}

export const NO_COMMON_HEADERS = commonHeaders({})

/** Returns the common headers that a response with these headers lacks. */
export function missingCommonHeaders({ lines }: CommonHeaders, own: Readonly<ResponseHeaders>): readonly string[] {
  if (!lines.some((name, at) => at % 2 === 0 && name in own)) return lines
  return lines.filter((_, at) => !((lines[at - (at % 2)] as string) in own))
}

/** Formats alternating names and values as header lines. */
export function formatHeaderLines(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}
