/**
 * Replaces line breaks, control characters and marks that change the writing direction, so that the text fits into a
 * header.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
}
