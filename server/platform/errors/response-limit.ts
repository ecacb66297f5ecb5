/**
 * The most bytes of an answer or a batch of events, so that what some people write keeps answers to others small. What
 * goes beyond is left to the next request.
 */
export const MAX_RESPONSE_BYTES = 8_000_000

/** The same for the part of an answer that grows: what stands around it needs less than the rest. */
export const MAX_LIST_BYTES = MAX_RESPONSE_BYTES - 50_000

/** The number of bytes of the text in UTF-8; a text that is short enough whatever its characters is not measured. */
export function fitsIn(text: string, bytes: number): boolean {
  return text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes
}
