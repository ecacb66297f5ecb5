/**
 * The maximum size of a response or a batch of events, in bytes. It keeps the content of some users from making the
 * responses to others large. The next request returns the rest.
 */
export const MAX_RESPONSE_BYTES = 8_000_000

/** The maximum size of the list in a response, in bytes. The remaining bytes are enough for the other fields. */
export const MAX_LIST_BYTES = MAX_RESPONSE_BYTES - 50_000

/**
 * Returns whether the text has at most `bytes` bytes in UTF-8. Text with at most a third as many UTF-16 units always
 * fits and is not measured.
 */
export function fitsIn(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
}
