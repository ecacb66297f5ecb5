/** Without line breaks, other control characters and marks that turn the writing direction: fit for a header. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
}
