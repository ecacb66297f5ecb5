/**
 * Whitespace around names, addresses and similar values, as the reference server defines it. Unlike JavaScript's
 * `trim`, it includes the separators U+001C to U+001F and U+0085, and excludes the byte order mark.
 */
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** Removes whitespace from both ends in linear time. */
export function trimWhitespace(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANK.test(text.charAt(start))) start += 1
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
