/**
 * What counts as blank around names, addresses and the like, as the reference server has it. Unlike `trim` of JavaScript
 * it holds the separators U+001C to U+001F and U+0085, and not the byte order mark.
 */
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** The text without the blanks at its ends; takes time in proportion to their number. */
export function trimWhitespace(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANK.test(text.charAt(start))) start += 1
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
