import type { HtmlElement } from './parse-html.ts'

/** Returns the characters of an emoji from the code points in its class; null for any other element. */
export function emojiText({ tag, attributes }: HtmlElement): string | null {
  const codes =
    tag === 'span' ? /(?:^| )emoji-([\da-f]{2,6}(?:-[\da-f]{2,6})*)(?: |$)/.exec(attributes.get('class') ?? '') : null
  if (codes === null) return null
  const points = codes[1]!.split('-').map((code) => Number.parseInt(code, 16))
  return points.every((point) => point <= 0x10ffff) ? String.fromCodePoint(...points) : null
}
