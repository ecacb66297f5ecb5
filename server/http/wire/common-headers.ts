import type { ResponseHeaders } from './http-types.ts'

/** Headers of every answer that does not name them itself, as names and values by turns, and as written. */
export type CommonHeaders = { readonly lines: readonly string[]; readonly text: string }

export function commonHeaders(headers: Readonly<Record<string, string>>): CommonHeaders {
  const lines = Object.entries(headers).flat()
  return { lines, text: formatHeaderLines(lines) }
}

export const NO_COMMON_HEADERS = commonHeaders({})

/** Those that an answer with such headers does not name itself. */
export function missingCommonHeaders({ lines }: CommonHeaders, own: Readonly<ResponseHeaders>): readonly string[] {
  if (!lines.some((name, at) => at % 2 === 0 && name in own)) return lines
  return lines.filter((_, at) => !((lines[at - (at % 2)] as string) in own))
}

/** Header lines as they are sent, of names and values by turns. */
export function formatHeaderLines(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}
