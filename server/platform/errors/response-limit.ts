/**
 * The maximum size of a response or a batch of events in bytes, so that content of some users does not make responses
 * to others large. The next request returns the rest.
 */
export const MAX_RESPONSE_BYTES = 8_000_000

/** The maximum size of the list in a response; the other fields take less than the difference. */
export const MAX_LIST_BYTES = MAX_RESPONSE_BYTES - 50_000

/**
 * Returns whether the text has at most `bytes` bytes in UTF-8. A text that is short enough for any characters is not
 * measured.
 */
export function fitsIn(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
}
